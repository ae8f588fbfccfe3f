/** The client that watches repositories: it only reads, and leaves a part of the rate limit to the token's owner. */
import type { Octokit } from '@octokit/rest'
import nock from 'nock'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { Watch } from '../../src/server/github/watched-repositories.ts'
import { openLog } from '../../src/server/platform/telemetry/log.ts'
import { openMetrics } from '../../src/server/platform/telemetry/metrics.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const API_URL = 'https://api.github.com'
const MINUTE_S = 60

let watch: Watch

beforeEach(() => {
  nock.disableNetConnect()
  const clock = () => NOW
  watch = new Watch(
    { token: 'ghp_1', repositories: [{ owner: 'acme', name: 'shop' }] },
    { api_url: API_URL, clock, log: openLog('silent'), metrics: openMetrics(clock) },
  )
})
afterAll(() => {
  nock.cleanAll()
  nock.enableNetConnect()
})

describe('it pauses until the reset when a tenth of the rate limit is left', () => {
  const inSeconds = (seconds: number) => String(NOW.getTime() / 1000 + seconds)
  const minutes = (until: Date | null) => until && (until.getTime() - NOW.getTime()) / 60_000
  test.each([
    ['501 of 5,000', { remaining: '501', limit: '5000', reset: inSeconds(20 * MINUTE_S) }, null],
    ['500 of 5,000', { remaining: '500', limit: '5000', reset: inSeconds(20 * MINUTE_S) }, 20],
    [
      'none, and the reset is further away than any of GitHub’s',
      { remaining: '0', limit: '5000', reset: inSeconds(90_000) },
      60,
    ],
    ['a server without a rate limit', {}, null],
    ['headers that are no numbers', { remaining: 'many', limit: '5000', reset: 'soon' }, null],
  ])('%s', async (_, headers, expected) => {
    const named = Object.entries(headers).map(([name, value]) => [`x-ratelimit-${name}`, value])
    nock(API_URL).get('/repos/acme/shop').reply(200, {}, Object.fromEntries(named))
    await watch.reader.rest.repos.get({ owner: 'acme', repo: 'shop' })
    expect(minutes(watch.pausedUntil(NOW))).toBe(expected)
  })
})

// Threat: A write with the token that watches
test.each([
  ['POST', '/repos/acme/shop/issues/1/comments'],
  ['PATCH', '/repos/acme/shop/pulls/1'],
  ['PUT', '/repos/acme/shop/pulls/1/merge'],
  ['DELETE', '/repos/acme/shop/git/refs/heads/main'],
])('%s %s is rejected without a request', async (method, url) => {
  const sent = nock(API_URL).intercept(url, method).reply(200, {})
  const client = watch.reader as unknown as Octokit
  await expect(client.request({ method: method as 'POST', url })).rejects.toThrow('sends only GET requests')
  expect(sent.isDone()).toBe(false)
})

// Threat: The token that watches in a log or the database
test('the token is sent to the API only, and is in no error', async () => {
  nock(API_URL, { reqheaders: { authorization: 'token ghp_1' } })
    .get('/repos/acme/shop')
    .reply(404, {})
  const error = await watch.reader.rest.repos.get({ owner: 'acme', repo: 'shop' }).catch((thrown) => thrown)
  expect(error.status).toBe(404)
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain('ghp_1')
})
