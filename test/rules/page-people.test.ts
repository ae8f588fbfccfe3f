/** The people behind activities. */
import { expect, test } from 'vitest'
import { initialsOf, peopleOf } from '../../src/page/people.ts'
import { pageActivity as activity } from '../support/page-records.ts'

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

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'AD'],
  ['ben-b', 'BB'],
  ['李', '李'],
  ['🙂', '?'],
])('the initials of %s are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
