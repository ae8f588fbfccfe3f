/** What the page says about one collision: where, who is ahead, and what to do; and the people behind activities. */
import { describe, expect, test } from 'vitest'
import { type Encounter, encounterOf, messageFor } from '../../src/page/encounters.ts'
import { liveWork } from '../../src/page/live-work.ts'
import { initialsOf, peopleOf } from '../../src/page/people.ts'
import { SAME_NUMBER } from '../support/conclusion.ts'
import { HOUR_MS, NOW_MS, pageActivity, pageOverlap } from '../support/page-records.ts'

const PAGE = 'https://host/#/acme/shop'
const ago = (hours: number) => new Date(NOW_MS - hours * HOUR_MS).toISOString()
const pull = (number: number) => `https://github.com/acme/shop/pull/${number}`

const work = (actor: string, title: string, branch: string, created_at: string) => ({
  ...{ actor, created_by: actor, source: 'api', title, branch, created_at },
})
const MINE = work('ada', 'Retry twice', 'retry', ago(5))
const THEIRS = work('ben', 'Tidy', 'tidy', ago(9))
const place = (example: string, verdict: string, ...line_ranges: [number, number][]) => ({
  ...{ example, verdict, line_ranges },
})
const LINES = {
  consequence: 'conflict',
  paths: [
    place('src/far.ts', 'far', [1, 2], [90, 99]),
    place('src/retry.ts', 'conflict', [44, 52], [40, 40]),
  ],
}
const FIRST = { pr_url: pull(1) }
const SECOND = { pr_url: pull(2) }
const DRAFT = { ...FIRST, draft_pr: true }
const SAME = { consequence: 'same_work', findings: [{ kind: 'issue', issue: 7 }] }

const met = (mine: object, theirs: object, collision: object, reader: string | null = 'ada') => {
  const overlap = { ...pageOverlap('mine', 'theirs', 'high'), ...collision } as ReturnType<typeof pageOverlap>
  const activities = [
    pageActivity('mine', { ...MINE, ...mine }),
    pageActivity('theirs', { ...THEIRS, ...theirs }),
  ]
  const work = liveWork(activities, [overlap])
  return { work, overlap, encounter: encounterOf(overlap, work, { reader, hub: 'mine' }) as Encounter }
}

describe('an encounter', () => {
  test('names the number that both take, and the next free one', () => {
    const { encounter } = met({}, {}, { consequence: 'same_number', findings: [SAME_NUMBER] })
    expect(encounter.relation).toBe('0042 in db/migrations; the next free number is 0043')
    expect(encounter.places).toEqual([{ path: 'db/migrations/0042_orders.sql', mine: null, theirs: null }])
    expect(encounter.advice).toBe('tidy began first: take another number.')
    expect(messageFor(encounter, PAGE)).toContain('which of the two gives way?')
  })

  test('names the file and the lines that conflict, those of the own side first', () => {
    const { work, overlap, encounter } = met({}, {}, LINES)
    expect(encounter.places).toEqual([{ path: 'src/retry.ts', mine: [44, 52], theirs: [40, 40] }])
    expect(encounterOf(overlap, work, { reader: 'ben', hub: 'mine' })?.places).toEqual([
      { path: 'src/retry.ts', mine: [40, 40], theirs: [44, 52] },
    ])
  })

  test.each<[string, object, object, object, string]>([
    ['ready work that began first', SECOND, FIRST, LINES, '#1 was opened first: agree with ben, or '],
    ['a draft', SECOND, DRAFT, LINES, '#2 is ready for review and goes first: tell ben what will change'],
    ['declared work', {}, {}, { paths: [] }, 'tidy began first: agree with ben on who changes what.'],
    ['a duplicate', SECOND, FIRST, SAME, ': close one of the two, and agree with ben on which.'],
  ])('with %s says who goes first and what to do', (_, mine, theirs, collision, advice) => {
    expect(met(mine, theirs, collision).encounter.advice).toContain(advice)
  })

  test('with a duplicate says how that is known, and asks which one to close', () => {
    expect(met(SECOND, FIRST, SAME).encounter.relation).toBe('both close #7')
    expect(messageFor(met(SECOND, FIRST, SAME).encounter, PAGE)).toContain('which of the two to close?')
  })

  test('of one person with themselves needs no one else', () => {
    const own = { actor: 'ada', created_by: 'ada', pr_url: pull(1), created_at: ago(9) }
    expect(met(SECOND, own, LINES).encounter).toMatchObject({
      is_talk: false,
      advice: 'Both are your own work: merge #1 first, and rebase #2.',
    })
  })

  test('of someone else addresses that person by name', () => {
    const { encounter } = met(SECOND, FIRST, LINES, 'cy')
    expect(encounter.advice).toBe('#1 was opened first. ada: agree with ben, or rebase after it merges.')
    expect(messageFor(encounter, PAGE)).toMatch(/^Hi ada and ben, .*agree who rebases #2\? https/)
  })

  test.each([
    [{ is_bot: true }, {}, 'ben: go ahead, and rebase #2 after yours is merged.'],
    [{}, { is_bot: true }, 'ada: go ahead, and rebase #1 after yours is merged.'],
    [{ is_bot: true }, { is_bot: true }, 'Both are by bots: merge #1 first, and rebase #2.'],
  ])('of %j with %j asks nobody to talk to a bot', (mine, theirs, advice) => {
    const { encounter } = met({ ...SECOND, ...mine }, { ...FIRST, ...theirs }, LINES, 'cy')
    expect(encounter).toMatchObject({ advice, is_talk: false })
  })

  test('of a pair is that of the side behind', () => {
    const { overlap, work } = met(SECOND, DRAFT, LINES)
    expect(encounterOf(overlap, work, { reader: null })?.mine.id).toBe('theirs')
  })

  test('gives a message for the other side', () => {
    const { encounter } = met(SECOND, FIRST, LINES)
    expect(messageFor(encounter, PAGE)).toBe(
      `Hi ben, my “Retry twice” (${pull(2)}) and your “Tidy” (${pull(1)}) overlap in src/retry.ts (lines 44–52 and 40). Yours is closer to its merge: shall I rebase after it, or shall we split the work? https://host/#/acme/shop`,
    )
  })
})

const declared = (id: string, actor: string, created_by: string | null) =>
  pageActivity(id, { actor, created_by, source: 'api' })
const pulled = (id: string, actor: string) =>
  pageActivity(id, { actor, created_by: null, source: 'pull_request' })

test.each([
  ['an actor without a login', [declared('a', 'Ada L.', null)], ['ada l. Ada L. null']],
  ['the creator of declared work', [declared('a', 'Ada L.', 'Ada')], ['ada Ada L. Ada']],
  ['the author of a pull request', [pulled('a', 'Ada')], ['ada Ada Ada']],
  [
    'one person with both, under the name that is no login',
    [declared('a', 'Ada L.', 'ada'), pulled('b', 'ada')],
    ['ada Ada L. ada', 'ada Ada L. ada'],
  ],
  [
    'each actor of a login that several share',
    [declared('a', 'Ada', 'robot'), declared('b', 'Ben', 'robot')],
    ['ada Ada null', 'ben Ben null'],
  ],
  ['a bot, which has no picture', [pulled('a', 'renovate[bot]')], ['renovate[bot] renovate[bot] null']],
])('%s is a person', (_, activities, expected) => {
  const people = peopleOf(activities)
  expect(
    activities.map(({ id }) => people.get(id)).map((each) => `${each?.key} ${each?.name} ${each?.login}`),
  ).toEqual(expected)
})

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'AD'],
  ['ben-b', 'BB'],
  ['李', '李'],
  ['🙂', '?'],
])('the initials of %s are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
