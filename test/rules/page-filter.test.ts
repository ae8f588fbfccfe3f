/** Which live work the page shows for a choice, and in which order. */
import { expect, test } from 'vitest'
import { duration } from '../../src/page/duration.ts'
import { type Choice, matching } from '../../src/page/filter.ts'
import { liveWork } from '../../src/page/live-work.ts'
import { pageActivity as activity, HOUR_MS, NOW_MS, pageOverlap as overlap } from '../support/page-records.ts'

const ALL: Choice = { person: null, path: null, area: null, text: '', only_collisions: false }
const began = (hours: number) => ({ created_at: new Date(NOW_MS - hours * HOUR_MS).toISOString() })
const scope = (given: { areas?: string[]; paths?: string[]; changes?: string[] }) => ({
  scope: {
    areas: given.areas ?? [],
    paths: given.paths ?? [],
    changes: (given.changes ?? []).map((path) => ({ path })),
  },
})

test.each<[Partial<Choice>, string]>([
  [{}, 'bcad'],
  [{ text: ' PAY ' }, 'a'],
  [{ text: 'tidy' }, 'b'],
  [{ text: 'cursor' }, 'c'],
  [{ text: '/77' }, 'd'],
  [{ text: 'nobody' }, ''],
  [{ person: 'ben' }, 'b'],
  [{ area: 'Docs' }, 'b'],
  [{ path: 'lib/' }, 'c'],
  [{ path: 'src/x.ts' }, 'bc'],
  [{ only_collisions: true }, 'bca'],
])('%j shows %s, the most severe collisions first, then the newest', (choice, ids) => {
  const at = (example: string) => [{ globs: [], example, verdict: null, confidence: null, line_ranges: null }]
  const work = liveWork(
    [
      activity('a', { title: 'Retry', ...began(1), ...scope({ changes: ['src/pay.ts'] }) }),
      activity('b', { actor: 'Ben', branch: 'tidy', ...began(2), ...scope({ areas: ['Docs'] }) }),
      activity('c', { actor: 'Cy', agent: 'cursor', ...began(3), ...scope({ paths: ['lib/**'] }) }),
      activity('d', { actor: 'Dee', pr_url: 'https://github.com/acme/shop/pull/77', ...began(0) }),
    ],
    [{ ...overlap('b', 'c', 'high'), paths: at('src/x.ts') }, overlap('a', 'b', 'low'), overlap('a', 'gone')],
  )
  const shown = matching(work, { ...ALL, ...choice })
  expect(shown.map(({ id }) => id).join('')).toBe(ids)
})

test.each([
  [20_000, 'less than a minute'],
  [89 * 60_000, '89 min'],
  [90 * 60_000, '2 h'],
  [47 * HOUR_MS, '47 h'],
  [72 * HOUR_MS, '3 d'],
  [-72 * HOUR_MS, '3 d'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
