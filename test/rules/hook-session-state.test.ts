/** The states of an agent session, and what its end does with its activity. */
import { describe, expect, test } from 'vitest'
import { atEnd, sessionStateOf } from '../../src/cli/hook/session-state.ts'
import { NO_STATE } from '../../src/cli/local-state.ts'

const PENDING = {
  idempotency_key: 'hook-1',
  input: { title: 'Work on fix', summary: 'A session.', actor: 'Ada', scope: {} },
  at: 0,
}

const CREATING = { ...NO_STATE, pending: PENDING }
const OWN = { ...NO_STATE, activity_id: 'act_1' }
const BORROWED = { ...OWN, is_borrowed: true }

describe.each([
  ['nothing stored', NO_STATE, 'none', 'forget', 'forget'],
  ['a create without a response', CREATING, 'creating', 'archive', 'hand over'],
  ['an activity of its own', OWN, 'own', 'archive', 'hand over'],
  ['the activity of deconflict start', BORROWED, 'borrowed', 'forget', 'hand over'],
] as const)('a session with %s', (_, stored, state, whenOver, whenContinued) => {
  test('has its state', () => {
    expect(sessionStateOf(stored)).toBe(state)
  })

  test('ends', () => {
    expect(atEnd(stored, { isContinued: false })).toBe(whenOver)
  })

  test('ends and is continued by the next session', () => {
    expect(atEnd(stored, { isContinued: true })).toBe(whenContinued)
  })
})
