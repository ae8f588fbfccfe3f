/** The texts of notifications. */
import { expect, test } from 'vitest'
import type { NotableRow } from '../../src/server/records/notables/table.ts'
import { bodyFor, notableNotification, pairNotification } from '../../src/server/tell/notification.ts'
import { isPublic, publicLookup } from '../../src/server/tell/notify.ts'
import type { PairRow } from '../../src/server/tell/table.ts'

const SHOP = { full_name: 'acme/shop', web_url: 'https://github.com/acme/shop' }

const PUSHED = { active_at: '2026-03-15T12:00:00.000Z', head: null }
const ADA = { author: 'ada', ...PUSHED }
const BEN = { author: 'ben', ...PUSHED }

const pair = (changed: Partial<PairRow>) =>
  ({
    ...{ a: '#12', b: '#14', sides: { a: ADA, b: BEN }, cause: 'b' },
    ...{ consequence: 'conflict', confidence: 'proved', sequence: [] },
    files: [{ path: 'src/pay.ts', a: [41, 43], b: [40, 42] }],
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

const CARTS = { name: '0042_carts.sql', own: null }
const TAKEN = { kind: 'number', directory: 'db/migrations', value: '0042', a: CARTS, b: CARTS }
const file = (path: string) => ({ path, a: null, b: null })

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
    { b: 'branch:tidy', sides: { a: ADA, b: { ...BEN, author: null } }, cause: null },
    'acme/shop: #12 by `ada` conflicts with `tidy` in `src/pay.ts` (lines 41–43). https://github.com/acme/shop/pull/12',
  ],
  [
    'of many files three are named',
    { cause: 'a', files: ['a', 'b', 'c', 'd', 'e'].map(file) },
    'acme/shop: #12 by `ada` conflicts with #14 by `ben` in `a`, `b`, `c` and 2 more. https://github.com/acme/shop/pull/12 https://github.com/acme/shop/pull/14',
  ],
])('%s', (_, changed, text) => {
  expect(pairNotification(pair(changed), SHOP).text).toBe(text)
})

test('a notable has its importance, author and title, and the page if there is one', () => {
  expect(notableNotification(notable({}), SHOP.full_name, null).text).toBe(
    'acme/shop: notable of high importance by `ada`: `Frozen`',
  )
  const page = 'https://deconflict.example/#/acme/shop'
  expect(notableNotification(notable({ created_by: null }), SHOP.full_name, page).text).toBe(
    `acme/shop: notable of high importance: \`Frozen\` ${page}`,
  )
})

test.each([
  ['https://hooks.slack.com/services/T1', false],
  ['https://acme.webhook.office.com/webhookb2/1', true],
  ['https://prod-1.westeurope.logic.azure.com:443/workflows/1', true],
  ['https://workflows.acme.example/1?format=teams', true],
  ['https://logic.azure.com.evil.example/1', false],
])('%s gets a card for Teams: %s', (url, isCard) => {
  const title = '[click](https://evil.example) <at>all</at>'
  const page = 'https://deconflict.example/#/acme/shop'
  const notification = notableNotification(notable({ title }), SHOP.full_name, page)
  const body = bodyFor(url, notification)
  if (!isCard) return expect(body).toBe(notification)
  const text = `acme/shop: notable of high importance by \`ada\`: \`${title}\``
  const content = {
    type: 'AdaptiveCard',
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
    actions: [{ type: 'Action.OpenUrl', title: 'Open', url: page }],
  }
  expect(body).toMatchObject({ type: 'message', attachments: [{ content }] })
})

test('a card has a button for each pull request', () => {
  const { attachments } = bodyFor('https://a.logic.azure.com', pairNotification(pair({}), SHOP)) as never
  expect((attachments as { content: object }[])[0]?.content).toMatchObject({
    actions: [{ title: '#14', url: 'https://github.com/acme/shop/pull/14' }, { title: '#12' }],
  })
})

// Threat: Server-side request forgery through `notify_url`
test.each([
  ...['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
  ...['::1', 'fd00::1', 'fe80::1', '::ffff:1.1.1.1', '2002:0a00:0001::', '64:ff9b::a00:1'],
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})

test.each(['1.1.1.1', '2606:4700::1111'])('%s is public', (address) => {
  expect(isPublic(address)).toBe(true)
})

test.each([{}, { all: true }])(
  'a name with a private address is not connected to, with %j',
  async (options) => {
    const error = await new Promise((resolve) => publicLookup('localhost', options, resolve))
    expect(String(error)).toContain('private address')
  },
)

// Threat: A mention or a link in a notification through a title or a branch
test.each([
  '<!channel> look',
  '<https://evil.example|click>',
  '[click](https://evil.example)',
  '`@everyone`',
  'a\u202eb\u0000c\nd',
])('the text %j of a user becomes no mention and no link', (title) => {
  const { text } = notableNotification(notable({ title }), SHOP.full_name, null)
  const [, shown = ''] = /importance by `ada`: (`.*`)$/.exec(text) ?? []
  expect(shown).not.toMatch(/[<>\p{Cc}\p{Cf}]/u)
  const [fence = ''] = /^`+/.exec(shown) ?? []
  expect(shown.slice(fence.length, -fence.length)).not.toContain(fence)
})
