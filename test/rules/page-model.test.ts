/** Whose work the page shows first. */
import { expect, test } from 'vitest'
import type { View } from '../../src/page/address.ts'
import { modelOf } from '../../src/page/repository-model.ts'
import { NO_VIEW, NOW_MS, pageActivity, pageOverlap } from '../support/page-records.ts'

const ACTIVITIES = {
  items: [
    pageActivity('a', { actor: 'Ada', created_by: 'ada', pr_url: 'https://github.com/acme/shop/pull/7' }),
    pageActivity('b', { actor: 'Ben', created_by: 'ben' }),
  ],
  is_complete: true,
  as_of_ms: NOW_MS,
}

const like = (text: RegExp) => expect.stringMatching(text)

test.each<[string, Partial<View>, string | null, object]>([
  ['the reader’s', {}, 'ADA', { kind: 'person', is_reader: true, person: { key: 'ada' } }],
  [
    'a chosen person’s',
    { person: 'ben' },
    'ada',
    { kind: 'person', is_reader: false, person: { key: 'ben' } },
  ],
  ['that of a pull request', { pull_request: 7 }, 'ben', { kind: 'activity', activity: { id: 'a' } }],
  ['everyone’s if chosen', { person: 'everyone' }, 'ada', { kind: 'everyone', note: null }],
  ['everyone’s if the reader is unknown', {}, null, { kind: 'everyone', note: null }],
  ['everyone’s if the reader has none', {}, 'cy', { kind: 'everyone', note: like(/^You have no/) }],
  ['everyone’s if the person has none', { person: 'cy' }, 'ada', { note: like(/^cy has no/) }],
  [
    'everyone’s if the pull request has none',
    { pull_request: 8 },
    'ada',
    { note: like(/^Pull request #8 has no live work here: it is merged, closed or not tracked/) },
  ],
])('the page shows %s', (_, view, login, subject) => {
  const model = modelOf({ activities: ACTIVITIES, overlaps: null }, { ...NO_VIEW, ...view }, login)
  expect(model.subject).toMatchObject(subject)
})

test.each([
  ['all that were counted, although fewer are listed', {}, 2, { collisions: 9800, is_exact: true }],
  ['at least those that were counted, if not all was compared', {}, 1, { collisions: 9800, is_exact: false }],
  ['those listed of a person', { person: 'ben' }, 2, { collisions: 1, is_exact: false }],
])('the page counts %s', (_, view, activities, counts) => {
  const overlaps = {
    items: [pageOverlap('a', 'b')],
    total: 9800,
    same_file: { total: 0, pairs: [] },
    checked_against: { activities, as_of: '', complete: false, reason: 'Only 1 of 9800 is listed.' },
  }
  const model = modelOf({ activities: ACTIVITIES, overlaps }, { ...NO_VIEW, ...view }, null)
  expect(model.counts).toMatchObject(counts)
})
