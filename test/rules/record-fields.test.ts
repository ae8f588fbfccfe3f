/** Which values each field of a record and each parameter of a list accepts, and what is stored of them. `field.test.ts` has every form of a single value. */
import { describe, expect, test } from 'vitest'
import { pullRequestNumber } from '../../src/engine/records/activity-lifecycle.ts'
import { CreateActivity, ListActivities, UpdateActivity } from '../../src/vocabulary/contract/activity.ts'
import { CreateNotable, ListNotables, UpdateNotable } from '../../src/vocabulary/contract/notable.ts'
import { parse } from '../../src/vocabulary/contract/parse.ts'
import { cursorAt } from '../../src/vocabulary/lists.ts'
import { ACTIVITY, NOTABLE, unknownId } from '../support/routes.ts'

/** Each kind of input, with what it requires. */
const INPUTS = {
  'create an activity': [CreateActivity, ACTIVITY],
  'update an activity': [UpdateActivity, {}],
  'list activities': [ListActivities, {}],
  'create a notable': [CreateNotable, NOTABLE],
  'update a notable': [UpdateNotable, {}],
  'list notables': [ListNotables, {}],
} as const
type Input = keyof typeof INPUTS
const INPUTS_OF = {
  activities: ['create an activity', 'update an activity'],
  notables: ['create a notable', 'update a notable'],
} as const satisfies Record<string, readonly Input[]>

/** The field as it is stored. */
function stored(to: Input, field: string, value: unknown): unknown {
  const [schema, body] = INPUTS[to]
  return (parse(schema, { ...body, [field]: value }, 'field') as Record<string, unknown>)[field]
}
/** The status, and the field that the error names. */
function refusal(to: Input, field: string, value: unknown): string {
  try {
    stored(to, field, value)
    return 'accepted'
  } catch (error) {
    const { status, param } = error as { status: number; param: string }
    return `${status} ${param}`
  }
}

test.each<[Input, string]>([
  [
    'create an activity',
    'title summary actor agent branch base_branch scope base_sha risk pr_url draft_pr blocking ttl_ms issue',
  ],
  [
    'update an activity',
    'title summary branch base_branch scope base_sha risk pr_url draft_pr blocking issue status heartbeat',
  ],
  ['list activities', 'status risk actor branch has_pr draft_pr_only cursor limit'],
  [
    'create a notable',
    'title summary importance category decision_url scope applies_until blocking supersedes',
  ],
  ['update a notable', 'title summary importance decision_url scope applies_until blocking'],
  ['list notables', 'status importance category area cursor limit'],
])('to %s are no other fields than %s', (to, fields) => {
  expect(Object.keys(INPUTS[to][0].shape).join(' ')).toBe(fields)
  expect(refusal(to, 'created_at', null)).toBe('400 created_at')
})

test.each<[string, number, readonly Input[]]>([
  ['title', 200, [...INPUTS_OF.activities, ...INPUTS_OF.notables]],
  ['summary', 4000, [...INPUTS_OF.activities, ...INPUTS_OF.notables]],
  ['actor', 100, ['create an activity', 'list activities']],
  ['agent', 100, ['create an activity']],
  ['branch', 255, [...INPUTS_OF.activities, 'list activities']],
  ['base_branch', 255, INPUTS_OF.activities],
  ['pr_url', 2048, INPUTS_OF.activities],
  ['area', 100, ['list notables']],
])('the text %s has 1 to %i characters', (field, max, inputs) => {
  for (const to of inputs) {
    for (const value of ['x', 'x'.repeat(max), '😀'.repeat(max)]) expect(stored(to, field, value)).toBe(value)
    for (const value of ['', 'x'.repeat(max + 1), '😀'.repeat(max + 1)])
      expect(refusal(to, field, value), to).toBe(`422 ${field}`)
  }
})

test.each<[Input, string]>([
  ['create an activity', 'agent branch base_branch base_sha pr_url ttl_ms issue'],
  ['update an activity', 'branch base_branch base_sha pr_url issue'],
  ['create a notable', 'decision_url applies_until'],
  ['update a notable', 'decision_url applies_until'],
])('null to %s is accepted for %s only', (to, accepted) => {
  const fields = Object.keys(INPUTS[to][0].shape)
  expect(fields.filter((field) => refusal(to, field, null) === 'accepted').join(' ')).toBe(accepted)
})

test.each<[Input, string, unknown[]]>([
  ['create an activity', 'ttl_ms', [59_999, 60_000.5, '60000', -1]],
  ['create an activity', 'base_sha', ['main']],
  ['create an activity', 'issue', [0, 2_147_483_648]],
  ['update an activity', 'issue', [0, 2_147_483_648]],
  ['create a notable', 'importance', ['urgent']],
  ['create a notable', 'category', ['gossip']],
  ['create a notable', 'decision_url', ['javascript:alert(1)']],
  ['create a notable', 'applies_until', ['2026-02-30T12:00:00Z']],
  ['create a notable', 'blocking', ['true']],
  ['create a notable', 'supersedes', ['ntb_1', Array.from({ length: 101 }, () => unknownId('ntb'))]],
  ['list activities', 'status', ['done', ['active', 'paused']]],
  ['list activities', 'risk', ['severe']],
  ['list activities', 'actor', ['\u0000']],
  ['list activities', 'has_pr', ['yes', '', 'TRUE']],
  ['list activities', 'draft_pr_only', ['']],
  ['list activities', 'limit', ['0', '101', '-1', '1.5', '', 'ten', ['5', '6'], '99999999999999999999']],
  ['list notables', 'status', ['paused']],
  ['list notables', 'importance', ['huge']],
  ['list notables', 'category', ['gossip']],
  ['list notables', 'area', [' ', ['a', 'b']]],
])('to %s, %s is refused as one of %j', (to, field, values) => {
  for (const value of values) expect(refusal(to, field, value), String(value)).toBe(`422 ${field}`)
})

test.each<[string, string, string]>([
  ['branch', 'refs/heads/pay', 'pay'],
  ['branch', 'origin/pay', 'origin/pay'],
  ['base_branch', 'origin/main', 'main'],
  ['base_branch', 'refs/remotes/origin/main', 'main'],
  ['base_branch', 'refs/heads/main', 'main'],
])('the %s %s is stored as %s', (field, sent, expected) => {
  expect(stored('create an activity', field, sent)).toBe(expected)
})

describe('a scope', () => {
  test('drops duplicates and keeps the order', () => {
    const scope = {
      areas: ['till', 'Checkout', 'till', ' checkout ', 'TILL', 'api'],
      paths: ['b', 'a', 'b', 'B', './b', 'a'],
    }
    expect(stored('create an activity', 'scope', scope)).toEqual({
      areas: ['till', 'Checkout', 'api'],
      paths: ['b', 'a', 'B', './b'],
      changes: [],
    })
  })

  test('has at most 100 areas, and no path outside of the repository', () => {
    const areas = Array.from({ length: 101 }, (_, index) => `a${index}`)
    for (const to of [...INPUTS_OF.activities, ...INPUTS_OF.notables]) {
      expect(refusal(to, 'scope', { areas })).toBe('422 scope.areas')
      expect(refusal(to, 'scope', { paths: ['src', '../etc'] })).toBe('422 scope.paths[1]')
    }
  })

  test('of a notable has no changed files', () => {
    for (const to of INPUTS_OF.notables)
      expect(refusal(to, 'scope', { changes: [] })).toBe('400 scope.changes')
  })
})

describe('a cursor', () => {
  const cursor = cursorAt(unknownId('act'))
  const made = (text: string) => Buffer.from(text, 'latin1').toString('base64url')

  test('is that of a previous page of the same list', () => {
    expect(stored('list activities', 'cursor', cursor)).toBe(unknownId('act'))
    expect(refusal('list notables', 'cursor', cursor)).toBe('400 cursor')
  })

  test.each([
    ...['', 'x', '\u0000', unknownId('act'), cursor.slice(1), cursor.slice(0, -1), `${cursor}x`],
    ...[`${cursor}=`, ` ${cursor}`, made("' or 1=1"), made('act_'), cursorAt(unknownId('ntb'))],
  ])('is refused as %j', (sent) => {
    expect(refusal('list activities', 'cursor', sent)).toBe('400 cursor')
  })

  test('that is invalid is reported before an invalid value', () => {
    expect(() => parse(ListActivities, { limit: '0', cursor: 'zzz' }, 'parameter')).toThrow(
      expect.objectContaining({ status: 400, param: 'cursor' }),
    )
  })
})

describe('pr_url', () => {
  const SHOP = 'https://github.com/acme/shop'
  const numberOf = (url: string) => pullRequestNumber({ repo: { web_urls: [SHOP] } }, url)

  test.each([
    [`${SHOP}/pull/7`, 7, 'as GitHub writes it'],
    ['https://github.com/ACME/Shop/pull/7', 7, 'with another case of owner and repository'],
    ['https://GitHub.com/acme/shop/pull/7', 7, 'with another case of the host'],
    [`${SHOP}/pull/2147483647`, 2_147_483_647, 'with a number that is large'],
  ])('may be %s, number %i: %s', (url, number) => {
    expect(numberOf(url)).toBe(number)
  })

  test.each([
    ['https://github.com/acme/shop2/pull/7', 'a name that only begins like this one'],
    ['https://gitlab.com/acme/shop/pull/7', 'another host'],
    ['https://github.com.evil.example/acme/shop/pull/7', 'a host that only begins like GitHub’s'],
    ['https://evil.example/https://github.com/acme/shop/pull/7', 'the address within another'],
    ['https://ada@github.com/acme/shop/pull/7', 'a user in it'],
    ['https://github.com@169.254.169.254/acme/shop/pull/7', 'another host behind a user'],
    ['javascript:alert(1)', 'a script'],
    ['https://github.com:443/acme/shop/pull/7', 'a port in it'],
    ['http://github.com/acme/shop/pull/7', 'not https'],
    [`${SHOP}/pull/7/files`, 'a page below it'],
    [`${SHOP}/pull/7/`, 'a slash at its end'],
    [`${SHOP}/pull/7?w=1`, 'a query'],
    [` ${SHOP}/pull/7`, 'a blank before it'],
    [`${SHOP}/pull/7\n`, 'a line break after it'],
    [`${SHOP}/issues/7`, 'an issue'],
    [`${SHOP}/pull/`, 'no number'],
    [`${SHOP}/pull/0`, 'the number 0'],
    [`${SHOP}/pull/07`, 'a number with a leading 0'],
    [`${SHOP}/pull/٧`, 'a number in other digits'],
    [`${SHOP}/pull/2147483648`, 'a number that no pull request has'],
    ['https://github.com/acme/../acme/shop/pull/7', 'a way round'],
  ])('may not be %j: %s', (url) => {
    expect(() => numberOf(url)).toThrow(
      `pr_url: must be ${SHOP}/pull/NUMBER, a pull request of this repository`,
    )
  })
})
