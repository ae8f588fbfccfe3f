/** What a session hears of others in its very directory, and what its end does with the work there. */
import { expect, test } from 'vitest'
import { checkoutNews, editedByOthers, type Presence } from '../../src/cli/hook/checkout.ts'
import { endingOf } from '../../src/cli/hook/ending.ts'
import type { Situation } from '../../src/cli/hook/plan.ts'
import { NO_SESSION } from '../../src/cli/local-state.ts'

const NOW = 1_800_000_000_000
const HERE = { branch: 'task-1', head: 'a'.repeat(40) }
const OWN: Presence = { ...NO_SESSION, place: HERE, agent: 'codex', since: NOW - 60_000, at: NOW - 60_000 }
const OTHER = { ...OWN, key: 'b', agent: 'claude-code', edited: ['src/a.ts'] }
const PROMPT = {
  ...{ event: 'prompt', agent: 'codex', is_heard: true, reason: '', subagent: null, prompt: '' },
  ...{ edits: [], reads: [], branch: 'task-1', now: NOW },
} as Situation
const STOP = { is_heard: false, event: 'stop' } as const
const MOVED = { ...HERE, head: 'b'.repeat(40) }

function heard(
  before: Presence,
  others: Parameters<typeof checkoutNews>[1],
  given: { situation?: Partial<Situation>; here?: typeof HERE } = {},
) {
  const { situation = {}, here = HERE } = given
  return checkoutNews(before, others, { situation: { ...PROMPT, ...situation }, here })
}

test.each<[string, ReturnType<typeof heard>, RegExp[]]>([
  ['nothing alone', heard(OWN, []), []],
  [
    'another session, and what it has edited',
    heard(OWN, [OTHER]),
    [
      /^Another session \(claude-code, since \d\d:\d\d\) works in this directory; it has edited src\/a\.ts\.$/,
    ],
  ],
  [
    'nothing of a session that has been silent for an hour',
    heard(OWN, [{ ...OTHER, at: NOW - 3_600_000 }]),
    [],
  ],
  [
    'a file that both have edited',
    heard({ ...OWN, told: ['session b'] }, [OTHER], { situation: { edits: ['src/a.ts'] } }),
    [/has edited src\/a\.ts too/],
  ],
  [
    'a switch while it was at rest',
    heard({ ...OWN, is_at_rest: true }, [], { here: { ...HERE, branch: 'main' } }),
    [/^This directory was switched from task-1 to main\.$/],
  ],
  ['nothing of its own switch', heard(OWN, [], { here: { ...HERE, branch: 'main' } }), []],
  [
    'a commit while it was at rest',
    heard({ ...OWN, is_at_rest: true }, [], { here: MOVED }),
    [/^task-1 moved from aaaaaaa to bbbbbbb by a commit that is not yours\.$/],
  ],
  ['nothing of its own commit', heard(OWN, [], { here: MOVED }), []],
  ['nothing at its first hook', heard(NO_SESSION, [], { here: MOVED }), []],
])('hears %s', (_, { sentences }, expected) => {
  expect(sentences).toEqual(expected.map((each) => expect.stringMatching(each)))
})

test('hears each thing once, and again after its context was cleared', () => {
  const { presence } = heard(OWN, [OTHER])
  expect(heard(presence, [OTHER]).sentences).toEqual([])
  const cleared = { event: 'session-start', reason: 'clear' } as const
  expect(heard(presence, [OTHER], { situation: cleared }).sentences).toHaveLength(1)
})

test('a hook that the model does not hear keeps its news for the next one', () => {
  const here = { ...MOVED, branch: 'main' }
  const { presence, sentences } = heard(OWN, [OTHER], { situation: STOP, here })
  expect(sentences).toEqual([])
  expect(heard(presence, [OTHER], { here }).sentences[0]).toMatch(/switched from task-1 to main/)
})

test.each([[[]], [[OTHER]]])('a commit of its own turn is its own, beside %j', (others) => {
  const { presence } = heard({ ...OWN, told: ['session b'] }, others, { situation: STOP, here: MOVED })
  expect(heard(presence, others, { here: MOVED }).sentences).toEqual([])
})

test('before a commit, the files of a session of another agent are named', () => {
  const sessions = [OTHER, { ...OWN, edited: ['src/b.ts', 'src/c.ts'] }]
  const told = 'src/a.ts was edited by the claude-code session, not by you.'
  expect(editedByOthers(['src/a.ts', 'src/b.ts'], sessions, 'codex')).toEqual([told])
  expect(editedByOthers(['src/a.ts'], [...sessions, { ...OWN, edited: ['src/a.ts'] }], 'codex')).toEqual([])
})

const MERGED = { is_continued: false, is_unmerged: false, is_declared: false }

test.each<[string, Partial<typeof MERGED>, ReturnType<typeof endingOf>]>([
  ['with nothing left to merge', {}, 'archived'],
  ['with nothing left to merge, which somebody declared', { is_declared: true }, null],
  ['that is not merged', { is_unmerged: true }, 'paused'],
  ['that is not merged, which somebody declared', { is_unmerged: true, is_declared: true }, 'paused'],
  ['that the next session goes on with at once', { is_continued: true, is_unmerged: true }, null],
])('the end of a session with work %s', (_, of, expected) => {
  expect(endingOf({ ...MERGED, ...of })).toBe(expected)
})
