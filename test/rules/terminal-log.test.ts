/** The readable log of a terminal. */
import { expect, test } from 'vitest'
import { openLog, terminalLog } from '../../src/server/platform/telemetry/log.ts'

function written(level: string, use: (log: ReturnType<typeof openLog>) => void): string[] {
  const lines: string[] = []
  use(
    openLog(
      level,
      terminalLog(level, (line) => lines.push(line.replace(/^\d\d:\d\d:\d\d /, ''))),
    ),
  )
  return lines
}

test('an event is one line with its fields; warnings and errors are marked', () => {
  const lines = written('info', (log) => {
    log.info({ repository: 'acme/shop', open_pull_requests: 3, request_id: 'x' }, 'watching pull requests')
    log.warn({ status: 404, note: undefined }, 'watch stopped')
    log.error({ did: { archived: 1 } }, 'job failed')
  })
  expect(lines).toEqual([
    '  watching pull requests repository=acme/shop open_pull_requests=3\n',
    '⚠ watch stopped status=404\n',
    '✗ job failed did={"archived":1}\n',
  ])
})

test('requests and jobs are shown at LOG_LEVEL=debug only', () => {
  const use = (log: ReturnType<typeof openLog>) => {
    log.info({ status: 200 }, 'request')
    log.info('job')
  }
  expect(written('info', use)).toEqual([])
  expect(written('debug', use)).toEqual(['  request status=200\n', '  job\n'])
})
