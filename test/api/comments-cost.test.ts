/** The number of GitHub calls per pull request, and that no calls are made until a rate limit ends. */
import { describe, expect, test } from 'vitest'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent, pullRequestEvent } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

const { fixture, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })

/** Pull requests that are compared, and on which nothing is published. */
const MUTE = 'deconflict:mute'

describe('a push to a pull request makes the same calls', () => {
  /** The calls caused by a push that changes the overlap, and by one that does not. */
  async function callsWith(others: number): Promise<string[][]> {
    for (let count = 0; count < others; count += 1)
      await repository.open({ labels: [MUTE], files: ['src/pay.ts', 'src/till.ts'] })
    const number = await repository.open({ files: ['src/pay.ts'] })
    const counted: string[][] = []
    for (const files of [
      ['src/pay.ts', 'src/till.ts'],
      ['src/till.ts', 'src/pay.ts', 'README.md'],
    ]) {
      await repository.advance(QUIET_MS)
      const before = repository.calls().length
      await repository.push(number, files)
      await repository.advance(QUIET_MS)
      counted.push(
        repository
          .calls()
          .slice(before)
          .map((route) => route.replace(/\d+/g, 'N')),
      )
    }
    return counted
  }
  const FILES = 'GET /pulls/N/files'
  const EDIT = 'PATCH /issues/comments/N'

  test.each([1, 8])('with %i other open pull requests that overlap', async (others) => {
    expect(await callsWith(others)).toEqual([[FILES, EDIT], [FILES]])
  })

  test('an activity that is not published makes no calls', async () => {
    for (let count = 0; count < 5; count += 1) await repository.open({ labels: [MUTE] })
    const before = repository.calls().length
    await repository.createActivity()
    expect(repository.calls().length).toBe(before)
  })
})

describe('a GitHub rate limit is waited out without calls, and nothing is duplicated afterwards', () => {
  const limits = [
    ['the primary limit', 'rate_limited', 20],
    ['a secondary limit', 'secondary_rate_limited', 7],
    ['429', 'too_many_requests', 7],
  ] as const

  const readsOf = (from: number) =>
    repository
      .calls()
      .slice(from)
      .filter((route) => route.startsWith('GET '))

  test.each(limits)('%s on a comment', async (_, fault, minutes) => {
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
    expect(readsOf(before).filter((route) => route.endsWith('/files'))).toHaveLength(1)
  })

  test.each(limits)('%s on the list of files', async (_, fault, minutes) => {
    github.fault(`GET /repos/${repository.full_name}/pulls/*/files`, fault, 1, minutes * 60)
    await repository.open()
    const before = repository.calls().length
    await repository.advance((minutes - 1) * MINUTE_MS)
    expect(repository.calls().length).toBe(before)
    await repository.advance(2 * MINUTE_MS)
    const { items } = (await repository.request('GET', '/activity')).body
    expect(items).toHaveLength(1)
    expect(repository.calls().length).toBe(before + 1)
  })

  test.each(limits)('%s on the first read of a repository', async (_, fault, minutes) => {
    repository.githubRepo.write('.github/deconflict.yml', 'comment: {min_severity: high}')
    github.fault(`GET /repos/${repository.full_name}/contents/*`, fault, 1, minutes * 60)
    await repository.open()
    const before = repository.calls().length
    await repository.advance((minutes - 1) * MINUTE_MS)
    expect(repository.calls().length).toBe(before)
    await repository.advance(2 * MINUTE_MS)
    expect((await repository.request('GET', '/activity')).body.items).toHaveLength(1)
    expect((await repository.request('GET', '/settings')).body.comment.min_severity).toBe('high')
  })

  test.each(limits)('%s on the list of repositories', async (_, fault, minutes) => {
    repository.githubRepo.open({ files: ['src/pay.ts'] })
    github.fault('GET /installation/repositories', fault, 1, minutes * 60)
    await fixture.service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
    const before = github.calls('GET /installation/repositories')
    await repository.advance((minutes - 1) * MINUTE_MS)
    expect(github.calls('GET /installation/repositories')).toBe(before)
    await repository.advance(2 * MINUTE_MS)
    expect((await repository.request('GET', '/activity')).body.items).toHaveLength(1)
  })

  test('it applies to all repositories of the installation and to no other', async () => {
    const second = { id: 9000, full_name: `${repository.full_name}-2` }
    github.repository(second)
    github.app.addRepositories(repository.installation.id, [second.full_name])
    const other = fixture.repository()
    const there = github.at(second.full_name)
    const openThere = () => {
      const { number } = there.open({ files: [`src/${there.branches().length}.ts`] })
      return fixture.service.deliverAndRun(pullRequestEvent(github, second.full_name, number, 'opened'))
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
