/** The service with a stubbed database and overlap check, to measure its HTTP layer. It loads single modules of dist/, which can be replaced, not the bundle. */
import { register } from 'node:module'

const stubs = {
  '/dist/server/db/postgres.js': new URL('stub-database.mjs', import.meta.url).href,
  '/dist/server/overlap/check.js': new URL('stub-overlap.mjs', import.meta.url).href,
}
const hooks = `const stubs = ${JSON.stringify(Object.entries(stubs))}
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const [, url] = stubs.find(([path]) => found.url.endsWith(path)) ?? []
  return url ? { ...found, url } : found
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const { readConfig } = await import('../../dist/server/base/config.js')
const { startService } = await import('../../dist/server/server.js')
await startService(readConfig(process.env))
