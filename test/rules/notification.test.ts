/** The texts of notifications. */
import { describe, expect, test } from 'vitest'
import type { PairRow } from '../../src/server/ledger/table.ts'
import type { NotableRow } from '../../src/server/notables/table.ts'
import { notableNotification, pairNotification } from '../../src/server/notifications/notification.ts'

const SHOP = { full_name: 'acme/shop', web_url: 'https://github.com/acme/shop' }

const pair = (changed: Partial<PairRow>) =>
  ({
    ...{ first: '#12', second: '#14', first_author: 'ada', second_author: 'ben', cause: 'second' },
    ...{ consequence: 'conflict', confidence: 'proved', sequence: [] },
    files: [{ path: 'src/pay.ts', first_lines: [41, 43], second_lines: [40, 42] }],
    ...changed,
  }) as PairRow
const notable = (changed: Partial<NotableRow>) =>
  ({
    id: 'ntb_1',
    title: 'Frozen',
    importance: 'high',
    category: 'migration',
    created_by: 'ada',
    ...changed,
  }) as NotableRow

const TAKEN = { kind: 'number', directory: 'db/migrations', value: '0042' }
const file = (path: string) => ({ path, first_lines: null, second_lines: null })

test.each<[string, Partial<PairRow>, string]>([
  [
    'a conflict names the side that caused it first',
    {},
    'acme/shop: #14 by `ben` conflicts with #12 by `ada` in `src/pay.ts` (lines 40–42). https://github.com/acme/shop/pull/14 https://github.com/acme/shop/pull/12',
  ],
  [
    'a duplicate names no files',
    { consequence: 'same_work', cause: null },
    'acme/shop: #12 by `ada` seems to do the same as #14 by `ben`. https://github.com/acme/shop/pull/12 https://github.com/acme/shop/pull/14',
  ],
  [
    'a shared number names its directory',
    { consequence: 'same_number', sequence: [TAKEN] as PairRow['sequence'] },
    'acme/shop: #14 by `ben` and #12 by `ada` both take the number `0042` in `db/migrations`. https://github.com/acme/shop/pull/14 https://github.com/acme/shop/pull/12',
  ],
  [
    'a branch without a pull request has no link',
    { second: 'branch:tidy', second_author: null, cause: null },
    'acme/shop: #12 by `ada` conflicts with `tidy` in `src/pay.ts` (lines 41–43). https://github.com/acme/shop/pull/12',
  ],
  [
    'of many files three are named',
    { cause: 'first', files: ['a', 'b', 'c', 'd', 'e'].map(file) },
    'acme/shop: #12 by `ada` conflicts with #14 by `ben` in `a`, `b`, `c` and 2 more. https://github.com/acme/shop/pull/12 https://github.com/acme/shop/pull/14',
  ],
])('%s', (_, changed, text) => {
  expect(pairNotification(pair(changed), SHOP).text).toBe(text)
})

test('a notable has its importance, author and title, and the page if there is one', () => {
  expect(notableNotification(notable({}), SHOP, null).text).toBe(
    'acme/shop: notable of high importance by `ada`: `Frozen`',
  )
  const page = 'https://deconflict.example/#/acme/shop'
  expect(notableNotification(notable({ created_by: null }), SHOP, page).text).toBe(
    `acme/shop: notable of high importance: \`Frozen\` ${page}`,
  )
})

// Threat: A mention or a link in a notification through a title or a branch
describe('user text becomes no mention and no link', () => {
  test.each([
    '<!channel> look',
    '<https://evil.example|click>',
    '[click](https://evil.example)',
    '`@everyone`',
    'a\u202eb\u0000c\nd',
  ])('%j', (title) => {
    const { text } = notableNotification(notable({ title }), SHOP, null)
    const [, shown = ''] = /importance by `ada`: (`.*`)$/.exec(text) ?? []
    expect(shown).not.toMatch(/[<>\p{Cc}\p{Cf}]/u)
    const [fence = ''] = /^`+/.exec(shown) ?? []
    expect(shown.slice(fence.length, -fence.length)).not.toContain(fence)
  })
})
