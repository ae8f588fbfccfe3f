/** The merge order of tracked pull requests follows their events. */
import { expect, test } from 'vitest'
import type { MergeOrder } from '../../src/vocabulary/contract/overlap-list.ts'
import { editOfPay } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()

/** Replaces lines of a file by `lines` others. */
const modified = (filename: string, text: string, lines = 1) =>
  editOfPay(10, Array<string>(lines).fill(`${text}()`), filename)

/** The numbers of the pull requests in order, and of those that are clear. */
async function mergeOrder(): Promise<(number | undefined)[][]> {
  const { request } = repository
  const { items, clear } = (await request('GET', '/merge-order')).body as MergeOrder
  const all: { id: string; pr_url: string }[] = (await request('GET', '/activity')).body.items
  const numbers = new Map(all.map(({ id, pr_url }) => [id, Number(pr_url.split('/').at(-1))]))
  return [items.map(({ activity_id }) => activity_id), clear].map((ids) => ids.map((id) => numbers.get(id)))
}

test('the merge order follows a stack, a merge and a push', async () => {
  const lower = await repository.open({ head: 'lower', files: [modified('a.ts', 'lower')] })
  const upper = await repository.open({ head: 'upper', base: 'lower', files: [modified('b.ts', 'upper', 9)] })
  const wide = await repository.open({ files: [modified('a.ts', 'wide'), modified('b.ts', 'wide')] })
  expect(await mergeOrder()).toEqual([[lower, upper, wide], []])
  await repository.merge(lower)
  expect(await mergeOrder()).toEqual([[upper, wide], []])
  await repository.push(wide, [modified('a.ts', 'wide')])
  expect(await mergeOrder()).toEqual([[], [wide, upper]])
})
