/** Reservations of one directory on two instances that share a PostgreSQL database. */
import { expect, test } from 'vitest'
import { ACTIVITY } from '../support/routes.ts'
import { type TestService, useInstances } from '../support/service.ts'

const CLIENTS = 12

const { instances } = useInstances()
const on = (turn: number) => instances[turn % 2] as TestService

test(`${CLIENTS} clients at once get ${CLIENTS} numbers in a row, each its own`, async () => {
  const turns = Array.from({ length: CLIENTS }, (_, turn) => turn)
  const ids = await Promise.all(
    turns.map(async (turn) => {
      const body = { ...ACTIVITY, branch: `work-${turn}` }
      return (await on(turn).api('POST', '/activity', { body })).body.activity.id as string
    }),
  )
  const reserve = (turn: number) =>
    on(turn).api('POST', `/activity/${ids[turn]}/number`, { body: { directory: 'db/migrations' } })
  const answers = await Promise.all(turns.map(reserve))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const expected = turns.map((turn) => String(turn + 1).padStart(4, '0'))
  expect(answers.map(({ body }) => body.number).sort()).toEqual(expected)
  const again = await Promise.all(turns.map((turn) => reserve(turn + 1 === CLIENTS ? 0 : turn + 1)))
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
})
