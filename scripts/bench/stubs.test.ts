/** The stubs of the benchmark. The service loads them in place of its own modules, so they need the same exports. */
import { expect, test } from 'vitest'
import { conclude } from '../../src/server/overlap/conclude.ts'

const exportsOf = async (path: string): Promise<string[]> =>
  Object.keys(await import(new URL(`../../${path}`, import.meta.url).href)).sort()

test.each([
  ['scripts/bench/stub-overlap.mjs', 'src/server/overlap/check.ts'],
  ['scripts/bench/stub-database.mjs', 'src/server/db/postgres.ts'],
])('%s exports what %s exports', async (stub, replaced) => {
  expect(await exportsOf(stub)).toEqual(await exportsOf(replaced))
})

test('what the stub of the overlap check finds can be rendered', async () => {
  const { checkProposal } = await import(new URL('stub-overlap.mjs', import.meta.url).href)
  expect(conclude(await checkProposal())).toMatchObject({ overlap_detected: false, total_related: 0 })
})
