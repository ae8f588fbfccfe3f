/**
 * Loaded before the service (`--import`): answers with the files of `dist` in which a function ran since the last question, as
 * V8's precise coverage counts them.
 */
import { createServer } from 'node:http'
import { Session } from 'node:inspector'

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const dist = new URL('../../dist/', import.meta.url).href
createServer((_request, response) => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const ran = result.filter(
      ({ url, functions }) => url.startsWith(dist) && functions.some(({ ranges }) => ranges[0].count > 0),
    )
    response.end(JSON.stringify(ran.map(({ url }) => url.slice(dist.length))))
  })
})
  .listen(Number(process.env.COVERAGE_PORT), '127.0.0.1')
  .unref()
