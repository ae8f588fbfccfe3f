/** Who holds an issue, on two instances that share a PostgreSQL database. */
import { expect, test } from 'vitest'
import type { Answer } from '../support/api.ts'
import { ACTIVITY } from '../support/routes.ts'
import { type TestService, useInstances } from '../support/service.ts'

const CLIENTS = 12
const turns = Array.from({ length: CLIENTS }, (_, turn) => turn)

const { instances } = useInstances()
const on = (turn: number) => instances[turn % 2] as TestService

const create = (turn: number, issue: number | null, clock_ms = 0) => {
  // The clocks of the instances differ, so the order of the timestamps is not that of the commits.
  instances[1]?.clock.advance(-clock_ms)
  const body = { ...ACTIVITY, branch: `work-${turn}`, issue }
  return on(turn).api('POST', '/activity', { body })
}
const idsOf = (answers: Answer[]) => answers.map(({ body }) => body.activity.id as string)
/** What the activities say: the ids of those that hold the issue, and of those that are named as its holder. */
const holders = async (ids: string[]) => {
  const read = await Promise.all(
    ids.map(async (id, turn) => (await on(turn).api('GET', `/activity/${id}`)).body),
  )
  return {
    claimed: read.filter(({ issue }) => issue.claimed).map(({ id }) => id),
    named: [...new Set(read.map(({ issue }) => issue.holder?.activity_id))],
  }
}

test(`of ${CLIENTS} clients that create at once, one claims the issue, and all are told of it`, async () => {
  const answers = await Promise.all(turns.map((turn) => create(turn, 7, 10)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const claimed = answers.filter(({ body }) => body.issue.claimed)
  expect(claimed).toHaveLength(1)
  const [holder] = idsOf(claimed)
  expect(new Set(answers.map(({ body }) => body.issue.holder.activity_id))).toEqual(new Set([holder]))
  expect(await holders(idsOf(answers))).toEqual({ claimed: [holder], named: [holder] })
})

test('of those that are put on an issue by updates at once, one holds it', async () => {
  const ids = idsOf(await Promise.all(turns.map((turn) => create(turn, null))))
  await Promise.all(ids.map((id, turn) => on(turn).api('PATCH', `/activity/${id}`, { body: { issue: 8 } })))
  const { claimed, named } = await holders(ids)
  expect(claimed).toHaveLength(1)
  expect(named).toEqual(claimed)
})

test('while holders end, each next one is the only holder, until nobody is left', async () => {
  const ids = idsOf(await Promise.all(turns.slice(0, 10).map((turn) => create(turn, 9))))
  const held: string[] = []
  for (let left = [...ids]; left.length > 0; left = left.filter((id) => !held.includes(id))) {
    const { claimed, named } = await holders(left)
    expect(claimed).toHaveLength(1)
    expect(named).toEqual(claimed)
    const [holder = ''] = claimed
    held.push(holder)
    const created = create(100 + held.length, 9)
    await on(held.length).api('POST', `/activity/${holder}/archive`)
    const late = (await created).body
    expect(late.issue.claimed).toBe(left.length === 1 && late.issue.holder.activity_id === late.activity.id)
    await on(0).api('POST', `/activity/${late.activity.id}/archive`)
  }
  expect(new Set(held).size).toBe(10)
})
