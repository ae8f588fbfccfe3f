/** A notable that supersedes others archives them in the same transaction, or nothing changes. */
import { describe, expect, test } from 'vitest'
import { NOTABLE, outcome, unknownId } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const { service } = useService()

const post = (supersedes: string[]) => service.api('POST', '/notables', { body: { ...NOTABLE, supersedes } })
const raise = async (supersedes: string[] = []) => (await post(supersedes)).body.id as string
const get = async (id: string) => (await service.api('GET', `/notables/${id}`)).body
const count = async () => (await service.api('GET', '/notables?limit=100')).body.items.length

test('superseded notables are archived and name their successor', async () => {
  const old = [await raise(), await raise()]
  service.clock.advance(1000)
  const answer = await post(old)
  expect(answer.body.supersedes).toEqual(old)
  const at = answer.body.created_at
  for (const id of old) {
    expect(await get(id)).toMatchObject({
      status: 'archived',
      archived_at: at,
      updated_at: at,
      superseded_by: answer.body.id,
    })
  }
  expect(await get(answer.body.id)).toMatchObject({ status: 'active', supersedes: old, superseded_by: null })
})

test('a repeated id is stored once', async () => {
  const old = await raise()
  expect((await post([old, old])).body.supersedes).toEqual([old])
})

test('a notable archived earlier keeps its instant', async () => {
  const old = await raise()
  const { body } = await service.api('POST', `/notables/${old}/archive`)
  service.clock.advance(1000)
  const next = await raise([old])
  expect(await get(old)).toMatchObject({ superseded_by: next, archived_at: body.archived_at })
})

test('an expired notable is archived', async () => {
  const old = await raise()
  service.clock.advance(8 * 86_400_000)
  const next = await raise([old])
  expect(await get(old)).toMatchObject({ status: 'archived', superseded_by: next })
})

describe('an id of no notable in this repository', () => {
  const unknown: [string, string][] = [
    ['unknown', unknownId('ntb')],
    ['of an activity', unknownId('act')],
    ['with a NUL', 'ntb_\u0000'],
    ['of half a character', 'ntb_\ud800'],
    ['empty', ''],
    ['long', 'n'.repeat(100_000)],
  ]
  test.each(unknown)('%s is rejected with its index, and nothing changes', async (_, id) => {
    const old = await raise()
    const before = [await count(), await get(old)]
    const answer = await post([old, old, id])
    expect(outcome(answer)).toBe('422 validation_error')
    expect(answer.body.error.param).toBe('supersedes[2]')
    expect([await count(), await get(old)]).toEqual(before)
  })
})

test('two concurrent successors are both stored, and the last one is named', async () => {
  const old = await raise()
  const answers = await Promise.all([post([old]), post([old]), post([old])])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(answers.map(({ body }) => body.id)).toContain((await get(old)).superseded_by)
})
