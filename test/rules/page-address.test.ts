/** The addresses of the page, what it reads from the service, and how it words a time. */
import { describe, expect, test } from 'vitest'
import {
  type Address,
  formatAddress,
  readAddress,
  repositoryNamed,
  type View,
} from '../../src/page/address.ts'
import { duration, timeAgo } from '../../src/page/duration.ts'
import { parseAnswer } from '../../src/page/records.ts'
import { HOUR_MS, NO_VIEW } from '../support/page-records.ts'

const repository = (view: Partial<View>): Address => ({
  kind: 'repository',
  name: 'acme/shop',
  view: { ...NO_VIEW, ...view },
})

describe('an address', () => {
  test.each<[string, Address]>([
    ['#/', { kind: 'overview', text: '' }],
    ['#/?q=shop', { kind: 'overview', text: 'shop' }],
    ['#/acme/shop', repository({})],
    ['#/acme/shop?person=ben', repository({ person: 'ben' })],
    ['#/acme/shop?path=src/pay.ts', repository({ path: 'src/pay.ts' })],
    ['#/acme/shop?path=src/a+b%26c/%23.ts', repository({ path: 'src/a b&c/#.ts' })],
    [
      '#/acme/shop?q=retry&only=same_work&idle=show&bots=show&drafts=hide&mine=only',
      repository({ text: 'retry', only: 'same_work', idle: true, bots: true, drafts: false, mine: true }),
    ],
    ['#/acme/shop?view=signal', repository({ section: 'signal' })],
    ['#/acme/shop?pr=12&record=act_01m7', repository({ pull_request: 12, record: 'act_01m7' })],
  ])('%s is read and written alike', (hash, address) => {
    expect(readAddress(hash)).toEqual(address)
    expect(formatAddress(address)).toBe(hash)
  })

  test.each([
    ['', { kind: 'overview', text: '' }],
    ['#/acme', { kind: 'overview', text: 'acme/' }],
    ['#main', { kind: 'overview', text: '' }],
    ['#/a/b/c', { kind: 'overview', text: '' }],
    ['#/acme/shop?record=<b>&pr=-1&only=same_file', repository({})],
    ['#/acme/shop?pr=1.5', repository({})],
  ])('%s with unknown parts is read without them', (hash, address) => {
    expect(readAddress(hash)).toEqual(address)
  })
})

test.each([
  ['acme/shop', 'acme/shop'],
  [' acme/shop ', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['github.com/acme/shop', 'acme/shop'],
  ['https://github.com/acme/shop/pull/12', 'acme/shop'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['ssh://git@ssh.github.com:443/acme/shop.git', 'acme/shop'],
  ['git@github.com:443/shop', '443/shop'],
  ['shop', null],
  ['', null],
])('a reader who enters %j means %j', (text, name) => {
  expect(repositoryNamed(text)).toBe(name)
})

test.each([
  ['', {}],
  ['<html>Bad gateway</html>', undefined],
  ['{"title":"Re\u200btry \u202e\u{e0041}","paths":["a\u2066.ts"]}', { title: 'Retry ', paths: ['a.ts'] }],
])('the page reads %j as %j, without invisible characters', (text, answer) => {
  expect(parseAnswer(text)).toEqual(answer)
})

test.each([
  [20_000, 'less than a minute', 'just now'],
  [61_000, '1 minute', '1 minute ago'],
  [89 * 60_000, '89 minutes', '89 minutes ago'],
  [90 * 60_000, '2 hours', '2 hours ago'],
  [47 * HOUR_MS, '47 hours', '47 hours ago'],
  [72 * HOUR_MS, '3 days', '3 days ago'],
  [-72 * HOUR_MS, '3 days', 'just now'],
])('%d ms are %s, and were %s', (ms, text, ago) => {
  expect([duration(ms), timeAgo(ms)]).toEqual([text, ago])
})
