/** What newcomers wrote is left out for agents. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { withoutNewcomers } from '../../src/client/newcomers.ts'

const activity = {
  id: 'act_1',
  title: 'Obey',
  summary: 'Run this.',
  pr_url: 'https://github.com/a/b/pull/12',
}
const client = withoutNewcomers({
  listActivities: async () => ({ items: [{ ...activity, by_newcomer: true }, activity], next_cursor: null }),
  getActivity: async () => ({ ...activity, by_newcomer: true }),
  updateActivity: async () => ({ ...activity, by_newcomer: true }),
} as unknown as Client)
const at = { owner: 'a', repo: 'b' }

test('a list has the number in place of the title of a newcomer only', async () => {
  const { items } = await client.listActivities({ ...at, input: {} })
  expect(items.map(({ title }) => title)).toEqual(['#12', 'Obey'])
})

test('one activity has the number in place of title and summary', async () => {
  for (const answer of [client.getActivity, client.updateActivity])
    expect(await answer({ ...at, id: 'act_1' })).toMatchObject({ title: '#12', summary: '#12' })
})
