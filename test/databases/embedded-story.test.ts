/** Everything that the service does, once, on the embedded database: operations, deliveries, jobs, sweeps and a purge. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AllStatements, collectStatements } from '../support/all-statements.ts'

let all: AllStatements

beforeAll(async () => {
  all = await collectStatements()
})
afterAll(() => all.close())

// `test/api/statements.test.ts` proves that it reads and deletes from every table.
test('no statement fails', () => {
  const lines = all.service.log.map((line) => JSON.parse(line) as { level: number })
  expect(lines.length).toBeGreaterThan(100)
  expect(lines.filter(({ level }) => level >= 50)).toEqual([])
})
