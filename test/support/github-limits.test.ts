/** The limits that the fake GitHub enforces are those that GitHub documents, by a clock that can be set. */
import { afterEach, describe, expect, test } from 'vitest'
import { type FakeGithub, fakeGithub } from './github.ts'
import { INSTALLATION_LIMITS, RateLimits, USER_LIMITS } from './github-limits.ts'
import { json } from './github-reply.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const START = Date.parse('2026-03-02T08:00:00Z')
const instant = (ms: number) => new Date(START + ms)

describe('an installation', () => {
  /** Makes calls that are `every_ms` apart and end at once; the limits that refused one. */
  const refusals = (
    limits: RateLimits,
    { method, times, every_ms = 0, from_ms = 0, status = 200 }: Load,
  ): string[] =>
    Array.from({ length: times }, (_, index) => {
      const call = limits.begin(method, instant(from_ms + index * every_ms))
      call.end(json(status, {}, instant(0)))
      return call.refused_by ?? []
    }).flat()

  interface Load {
    method: string
    times: number
    every_ms?: number
    from_ms?: number
    status?: number
  }

  test.each<[string, Load, string[]]>([
    ['900 reads in a minute', { method: 'GET', times: 900 }, []],
    ['901 reads in a minute', { method: 'GET', times: 901 }, ['points_per_minute']],
    ['80 writes in a minute', { method: 'POST', times: 80 }, []],
    ['81 writes in a minute', { method: 'POST', times: 81 }, ['writes_per_minute']],
    ['500 writes in an hour', { method: 'POST', times: 500, every_ms: SECOND_MS }, []],
    ['501 writes in an hour', { method: 'POST', times: 501, every_ms: SECOND_MS }, ['writes_per_hour']],
    ['12,500 reads in an hour', { method: 'GET', times: 12_500, every_ms: 100 }, []],
    ['12,501 reads in an hour', { method: 'GET', times: 12_501, every_ms: 100 }, ['per_hour']],
    ['12,501 unchanged answers', { method: 'GET', times: 12_501, every_ms: 100, status: 304 }, []],
  ])('%s', (_, load, expected) => {
    expect(refusals(new RateLimits(INSTALLATION_LIMITS), load)).toEqual(expected)
  })

  test('of a user, 5,001 reads in an hour', () => {
    const load = { method: 'GET', times: 5001, every_ms: 100 }
    expect(refusals(new RateLimits(USER_LIMITS), load)).toEqual(['per_hour'])
  })

  test('100 calls at once, and no more until one ends', () => {
    const limits = new RateLimits(INSTALLATION_LIMITS)
    const [first] = Array.from({ length: 100 }, () => limits.begin('GET', instant(0)))
    const next = () => limits.begin('GET', instant(0)).refused_by
    expect(next()).toBe('at_once')
    first?.end(json(200, {}, instant(0)))
    expect(next()).toBeNull()
  })

  test('a minute later, another 900 points', () => {
    const limits = new RateLimits(INSTALLATION_LIMITS)
    refusals(limits, { method: 'GET', times: 900 })
    expect(refusals(limits, { method: 'GET', times: 1, from_ms: MINUTE_MS - 1 })).toEqual([
      'points_per_minute',
    ])
    expect(refusals(limits, { method: 'GET', times: 900, from_ms: MINUTE_MS })).toEqual([])
  })

  test('is told what is left, and when the limit resets', () => {
    const limits = new RateLimits(INSTALLATION_LIMITS)
    refusals(limits, { method: 'GET', times: 12_500, every_ms: 100 })
    const { refusal, end } = limits.begin('GET', instant(HOUR_MS - 1))
    end(refusal)
    expect(refusal).toMatchObject({
      status: 403,
      headers: {
        'x-ratelimit-limit': '12500',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String((START + HOUR_MS) / 1000),
      },
    })
    expect(limits.begin('GET', instant(HOUR_MS)).refused_by).toBeNull()
  })

  test('has to wait a minute after a secondary limit', () => {
    const limits = new RateLimits(INSTALLATION_LIMITS)
    refusals(limits, { method: 'POST', times: 80 })
    const { refusal, end } = limits.begin('POST', instant(0))
    end(refusal)
    expect(refusal).toMatchObject({
      status: 403,
      headers: { 'retry-after': '60', 'x-ratelimit-remaining': '12420' },
    })
  })
})

describe('with its limits enforced', () => {
  let github: FakeGithub
  afterEach(() => github.close())

  const ask = async (token: string) => {
    const headers = { authorization: `token ${token}` }
    const answer = await github.answer({ method: 'GET', path: '/repos/acme/shop', headers })
    return typeof answer === 'string' ? answer : answer.status
  }

  test('GitHub counts each user apart, until the clock is a minute on', async () => {
    github = fakeGithub()
    github.repository({ id: 7, full_name: 'acme/shop' })
    const permissions = { 'acme/shop': 'write' } as const
    github.token('tok-ada', { login: 'ada', id: 1, permissions })
    github.token('tok-ben', { login: 'ben', id: 2, permissions })
    github.enforceLimits()
    for (let call = 0; call < 900; call += 1) await ask('tok-ada')
    expect(await ask('tok-ada')).toBe(403)
    expect(github.requests().at(-1)?.refused_by).toBe('points_per_minute')
    expect(await ask('tok-ben')).toBe(200)
    github.setClock(new Date(Date.now() + 2 * MINUTE_MS))
    expect(await ask('tok-ada')).toBe(200)
  })
})
