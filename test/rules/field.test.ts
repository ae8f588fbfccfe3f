/** Validation of single values: text length, branch names, timestamps, URLs. */
import { describe, expect, test } from 'vitest'
import { httpsUrl, isRefName, text, timestamp } from '../../src/vocabulary/contract/field.ts'

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

describe('the length of a text', () => {
  const field = text(2, 4)

  test.each([
    ['ab', 'two letters'],
    ['abcd', 'four letters'],
    ['😀😀', 'two emoji, of two units each'],
    ['😀😀😀😀', 'four emoji, of eight units together'],
    ['  ', 'blanks, which are characters'],
  ])('accepts %j: %s', (value) => {
    expect(accepts(field, value)).toBe(true)
  })

  test.each([
    ['a', 'one letter'],
    ['😀', 'one emoji, though of two units'],
    ['abcde', 'five letters'],
    ['😀😀😀😀😀', 'five emoji'],
    ['abc😀e', 'five characters of six units'],
    ['a\u0000b', 'a NUL within'],
    ['ab\ud83d', 'the first half of an emoji'],
    ['\ude00ab', 'the second half of an emoji'],
  ])('rejects %j: %s', (value) => {
    expect(accepts(field, value)).toBe(false)
  })

  test('is in the error message, unless the text is not well-formed', () => {
    expect(field.safeParse('a').error?.issues).toMatchObject([{ message: 'must have 2 to 4 characters' }])
    expect(field.safeParse('\u0000').error?.issues).toHaveLength(1)
  })
})

/** Each row has the result of `git check-ref-format refs/heads/NAME`, except `@`, which is rejected because git reads it as HEAD. */
describe('a branch name', () => {
  test.each(
    `main feature/payment-retries a/b/c/d release-1.2 a.b a./b lock a.locked lock.a a@b @a a@ {a} a{b ]
    -a ünï/日本語 😀 it's "quoted" a!b#c$d%e&f(g)h+i,j;k<l=m>n|o`.split(/\s+/),
  )('may be %j', (name) => {
    expect(isRefName(name)).toBe(true)
  })

  test.each([
    ...'@ .a a/.b a. a..b .. . a.lock a.lock/b .lock /a a/ a//b / a~b a^b a:b a?b a*b a[b a\\b a@{b @{'.split(
      ' ',
    ),
    ...['', 'a b', 'a\tb', 'a\nb', 'a\u0001b', 'a\u007fb'],
  ])('may not be %j', (name) => {
    expect(isRefName(name)).toBe(false)
  })
})

describe('a timestamp', () => {
  test.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.123456789Z', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31T09:30:00+02:00', '2026-01-31T07:30:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is parsed as %s', (written, instant) => {
    expect(timestamp.parse(written).toISOString()).toBe(instant)
  })

  test.each([
    ['2026-01-31T09:30:00', 'no offset'],
    ['2026-02-29T00:00:00Z', 'no leap year'],
    ['9999-12-31T23:59:59-00:01', 'a year of six digits in UTC'],
    ['0001-01-01T00:00:00+00:01', 'the year before the first'],
  ])('rejects %j: %s', (written) => {
    expect(accepts(timestamp, written)).toBe(false)
  })
})

describe('a URL', () => {
  test.each(
    `https://example.com https://example.com/docs/adr/7.md?plain=1#why HTTPS://EXAMPLE.COM/a
    https://example.com:8443/ https://[::1]/ https://bücher.example/ü`.split(/\s+/),
  )('may be %s', (address) => {
    expect(accepts(httpsUrl, address)).toBe(true)
  })

  test.each([
    ...`http://example.com ftp://example.com javascript:alert(1) example.com/a //example.com/a /a https:example.com
    https:// https:///a https://example.com:99999/ https://[::1`.split(/\s+/),
    ...['https://exa mple.com', 'https://example.com/a b', ' https://example.com', 'https://example.com\n'],
    ...['https://example.com/\u0000', ''],
  ])('may not be %j', (address) => {
    expect(accepts(httpsUrl, address)).toBe(false)
  })

  test('has at most 2,048 characters', () => {
    const start = 'https://example.com/'
    expect(accepts(httpsUrl, start.padEnd(2048, 'a'))).toBe(true)
    expect(accepts(httpsUrl, start.padEnd(2049, 'a'))).toBe(false)
  })
})
