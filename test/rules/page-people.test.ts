/** The people behind activities. */
import { expect, test } from 'vitest'
import { liveWork } from '../../src/page/live-work.ts'
import { initialsOf, peopleOf } from '../../src/page/people.ts'
import { peopleCounts } from '../../src/page/people-counts.ts'
import { pageActivity as activity, pageOverlap as overlap } from '../support/page-records.ts'

const declared = (id: string, actor: string, created_by: string | null) =>
  activity(id, { actor, created_by, source: 'api' })
const pulled = (id: string, actor: string) =>
  activity(id, { actor, created_by: null, source: 'pull_request' })

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

test('those with the most severe and then the most collisions come first', () => {
  const work = liveWork(
    ['Ada', 'Ben', 'Cy', 'Dee'].map((name, at) => declared('abcd'.charAt(at), name, null)),
    [overlap('a', 'b', 'low'), overlap('a', 'c', 'high'), overlap('b', 'gone', 'high')],
  )
  expect(peopleCounts(work).map(({ person, collisions }) => `${person.name} ${collisions}`)).toEqual([
    'Ada 2',
    'Cy 1',
    'Ben 1',
    'Dee 0',
  ])
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
