/** The bounds of comments: refusals, lost responses, rate limits, the pace of edits, and the number of calls. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const PUBLIC_URL = 'https://deconflict.example'
const { service, github, repository, another } = usePullRequests({
  settings: 'comment: {audience: both}',
  config: { public_url: PUBLIC_URL },
})

const CREATED = expect.stringMatching(/^POST \/issues\/\d+\/comments$/)
const EDITED = expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)
const creations = () => repository.writes().filter((route) => route.startsWith('POST '))
const refusals = () =>
  service.log
    .map((line) => JSON.parse(line))
    .filter(({ repo_id, msg }) => repo_id === repository.id && msg === 'github refused write')

describe('a comment that GitHub refuses permanently', () => {
  test.each<[string, () => unknown, object?]>([
    ['because the conversation is locked', () => {}, { locked: true }],
    ['because it is archived', () => Object.assign(repository.githubRepo.repository, { archived: true })],
    ['for its content', () => github.fault(`POST /repos/${repository.full_name}/issues/*`, 'unprocessable')],
  ])('%s is sent once, and no job fails because of it', async (_, refuse, pull) => {
    await repository.createActivity()
    refuse()
    const number = await repository.open(pull)
    await repository.deliver(number, 'labeled')
    await repository.advance(QUIET_MS)
    await repository.advance(QUIET_MS)
    expect(creations()).toHaveLength(1)
    expect(refusals()).toHaveLength(1)
    expect(repository.comment(number)).toBeUndefined()
  })

  test('is created when the conversation is unlocked', async () => {
    await repository.createActivity()
    const number = await repository.open({ locked: true })
    repository.githubRepo.update(number, { locked: false })
    await repository.deliver(number, 'unlocked')
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
    expect(creations()).toHaveLength(2)
  })

  test('that edits an existing comment keeps the published text until GitHub accepts the edit', async () => {
    await repository.createActivity()
    const number = await repository.open()
    const before = repository.comment(number)
    github.fault(`PATCH /repos/${repository.full_name}/issues/*`, 'forbidden')
    await repository.advance(QUIET_MS)
    await repository.createActivity({ branch: 'more' })
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toBe(before)
    github.clearFaults()
    await repository.createActivity({ branch: 'still-more' })
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('3 other activities')
    expect(creations()).toHaveLength(1)
  })

  test('because the repository was removed from the App stops all calls', async () => {
    const number = await repository.open()
    github.app.removeRepositories(repository.installation.id, [repository.full_name])
    await repository.createActivity()
    expect(refusals()).toEqual([])
    const before = repository.calls().length
    await repository.createActivity({ branch: 'more' })
    await repository.advance(QUIET_MS)
    expect(repository.calls().length).toBe(before)
    expect(repository.comment(number)).toBeUndefined()
  })
})

test.each<[string, [number, number], number]>([
  ['among the newest of more than a thousand', [1250, 20], 2],
  ['in the middle', [650, 650], 9],
])('a comment whose id is not stored is found %s', async (_, [before, after], calls) => {
  await repository.createActivity()
  const { number } = repository.githubRepo.open({ files: ['src/pay.ts'] })
  const many = (count: number) => {
    for (let each = 0; each < count; each += 1)
      repository.githubRepo.comment(number, { author: 'ben', body: 'Hm.' })
  }
  const own = {
    author: 'deconflict[bot]',
    body: '<!-- deconflict:pull-request -->\n\nOld',
    app: 'deconflict',
  }
  many(before)
  repository.githubRepo.comment(number, own)
  many(after)
  await repository.deliver(number, 'opened')
  expect(repository.comment(number)).toContain('Severity: ')
  expect(creations()).toEqual([])
  const pages = repository.calls().filter((route) => /^GET .*\/comments$/.test(route))
  expect(pages).toHaveLength(calls)
})

test('a comment whose response was lost is not created twice', async () => {
  await repository.createActivity()
  const { number } = repository.githubRepo.open({ files: ['src/pay.ts'] })
  github.fault(`POST /repos/${repository.full_name}/issues/*`, 'lost', 1)
  await repository.deliver(number, 'opened').catch(() => {})
  await repository.advance(QUIET_MS)
  await repository.advance(QUIET_MS)
  expect(repository.comment(number)).toContain('Severity: ')
  expect(creations()).toHaveLength(1)
})

test('changes within 30 seconds share one edit', async () => {
  await repository.createActivity()
  const number = await repository.open()
  for (const branch of ['b', 'c', 'd', 'e']) {
    await repository.createActivity({ branch })
    await repository.advance(QUIET_MS / 10)
  }
  expect(repository.writes()).toEqual([CREATED])
  expect(repository.comment(number)).toContain('Severity: ')
  await repository.advance(QUIET_MS / 2)
  expect(repository.writes()).toEqual([CREATED])
  await repository.advance(QUIET_MS / 10)
  expect(repository.comment(number)).toContain('5 other activities')
  expect(repository.writes()).toEqual([CREATED, EDITED])
})

test('with other pull requests, on which nothing is published, a push makes two calls if it changes the overlap, else one', async () => {
  // GitHub writes each event now, also after the clock of the service was advanced.
  const { now } = github.state
  onTestFinished(() => {
    github.state.now = now
  })
  github.state.now = () => new Date(Date.now() + 5 * MINUTE_MS)
  for (let opened = 0; opened < 3; opened += 1)
    await repository.open({ labels: ['deconflict:mute'], files: ['src/pay.ts', 'src/till.ts'] })
  const number = await repository.open({ files: ['src/pay.ts'] })
  const callsOfPush = async (...files: string[]) => {
    await repository.advance(QUIET_MS)
    const before = repository.calls().length
    await repository.push(number, files)
    await repository.advance(QUIET_MS)
    return repository.calls().slice(before)
  }
  const FILES = `GET /pulls/${number}/files`
  expect(await callsOfPush('src/pay.ts', 'src/till.ts')).toEqual([FILES, EDITED])
  expect(await callsOfPush('src/till.ts', 'src/pay.ts', 'README.md')).toEqual([FILES])
})

describe('a GitHub rate limit is waited out without calls, and nothing is duplicated afterwards', () => {
  test.each([
    ['the primary limit', 'rate_limited', 20],
    ['a secondary limit', 'secondary_rate_limited', 7],
  ] as const)('%s on a comment', async (_, fault, minutes) => {
    await repository.createActivity()
    github.fault(`POST /repos/${repository.full_name}/issues/*`, fault, 1, minutes * 60)
    const number = await repository.open()
    const before = repository.calls().length
    expect(repository.comment(number)).toBeUndefined()
    // Changes in the meantime are stored and cause no writes; reads go on, unless no calls are left.
    await repository.push(number, ['src/pay.ts', 'src/till.ts'])
    await repository.createActivity({ branch: 'more' })
    await repository.advance((minutes - 1) * MINUTE_MS)
    const reads = fault === 'rate_limited' ? [] : [`GET /pulls/${number}/files`]
    expect(repository.calls().slice(before)).toEqual(reads)
    await repository.advance(2 * MINUTE_MS)
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('2 other activities')
    expect(repository.githubRepo.comments(number)).toHaveLength(1)
    const later = repository.calls().slice(before)
    expect(later.filter((route) => route.endsWith('/files'))).toHaveLength(1)
  })

  test('the primary limit on the first read of a repository', async () => {
    repository.githubRepo.write('.github/deconflict.yml', 'comment: {min_severity: high}')
    github.fault(`GET /repos/${repository.full_name}/contents/*`, 'rate_limited', 1, 20 * 60)
    await repository.open()
    const before = repository.calls().length
    await repository.advance(19 * MINUTE_MS)
    expect(repository.calls().length).toBe(before)
    await repository.advance(2 * MINUTE_MS)
    expect((await repository.request('GET', '/activity')).body.items).toHaveLength(1)
    expect((await repository.request('GET', '/settings')).body.comment.min_severity).toBe('high')
  })

  test('it applies to all repositories of the installation and to no other', async () => {
    const second = { id: 9000, full_name: `${repository.full_name}-2` }
    github.repository(second)
    github.app.addRepositories(repository.installation.id, [second.full_name])
    const other = another()
    const there = github.at(second.full_name)
    const openThere = () => {
      const { number } = there.open({ files: [`src/${there.branches().length}.ts`] })
      return service.deliverAndRun(pullRequestEvent(github, second.full_name, number, 'opened'))
    }
    const callsThere = () => github.calls(`* /repos/${second.full_name}/*`)
    await openThere()
    const before = callsThere()
    github.fault(`GET /repos/${repository.full_name}/pulls/*/files`, 'rate_limited', 1, 600)
    await repository.open()
    await openThere()
    expect(callsThere()).toBe(before)
    await other.open()
    expect(other.calls()).toContain('GET /pulls/1/files')
    await repository.advance(11 * MINUTE_MS)
    expect(callsThere()).toBe(before + 1)
  })
})
