/** What the App does when GitHub refuses a comment, and how it finds its own comment among many. */
import { describe, expect, test } from 'vitest'
import { MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { timestamp } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent, repositoryEvent } from '../support/webhooks.ts'

const { fixture, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })

const MARKER = '<!-- deconflict:pull-request -->'
const creations = () => repository.writes().filter((route) => route.startsWith('POST '))
const refusals = () =>
  fixture.service.log
    .map((line) => JSON.parse(line))
    .filter(({ repo_id, msg }) => repo_id === repository.id && msg === 'github refused write')

describe('a comment that GitHub refuses permanently', () => {
  test.each<[string, () => Promise<number>]>([
    ['because the conversation is locked', () => repository.open({ locked: true })],
    [
      'because the repository is archived',
      () => {
        repository.githubRepo.repository.archived = true
        return repository.open()
      },
    ],
    [
      'because of its content',
      () => {
        github.fault(`POST /repos/${repository.full_name}/issues/*`, 'unprocessable')
        return repository.open()
      },
    ],
    [
      'because the conversation does not exist',
      () => {
        github.fault(`POST /repos/${repository.full_name}/issues/*`, 'not_found')
        return repository.open()
      },
    ],
  ])('%s is sent once, and no job fails because of it', async (_, open) => {
    await repository.createActivity()
    const number = await open()
    await repository.deliver(number, 'labeled')
    await repository.advance(QUIET_MS)
    await repository.advance(QUIET_MS)
    expect(creations()).toHaveLength(1)
    expect(refusals()).toHaveLength(1)
    expect(repository.comment(number)).toBeUndefined()
  })

  test('is retried with another text, but not to report the end of an unpublished overlap', async () => {
    const first = await repository.createActivity()
    const number = await repository.open({ locked: true })
    await repository.advance(QUIET_MS)
    const second = await repository.createActivity({ branch: 'more' })
    expect(creations()).toHaveLength(2)
    await repository.advance(QUIET_MS)
    for (const id of [first, second]) await repository.request('POST', `/activity/${id}/archive`)
    await repository.advance(QUIET_MS)
    expect(creations()).toHaveLength(2)
    expect(repository.comment(number)).toBeUndefined()
  })

  test('is created when the same text is due again after another text was accepted', async () => {
    await repository.createActivity()
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'unprocessable', 1)
    const number = await repository.open()
    await repository.advance(QUIET_MS)
    const second = await repository.createActivity({ branch: 'more' })
    expect(repository.comment(number)).toContain('2 other activities')
    await repository.advance(QUIET_MS)
    await repository.request('POST', `/activity/${second}/archive`)
    await repository.advance(0)
    expect(repository.comment(number)).toContain('Severity: ')
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

  test('is created when the repository is unarchived', async () => {
    await repository.createActivity()
    repository.githubRepo.repository.archived = true
    const number = await repository.open()
    repository.githubRepo.repository.archived = false
    await fixture.service.deliverAndRun(repositoryEvent(github, repository.full_name, 'unarchived'))
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
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

  test('a rate limit without its header is not a refusal and is waited out', async () => {
    await repository.createActivity()
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'limited_without_header', 1)
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    await repository.deliver(number, 'opened')
    await repository.advance(MINUTE_MS)
    expect(repository.comment(number)).toContain('Severity: ')
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

  test('because the App was uninstalled ends tracking', async () => {
    await repository.createActivity()
    const created_at = timestamp(new Date(Date.now() - 3_600_000))
    const { number } = repository.githubRepo.open({ files: ['src/pay.ts'], created_at })
    await repository.deliver(number, 'labeled')
    await repository.advance(QUIET_MS)
    github.app.uninstall(repository.installation.id)
    await repository.createActivity({ branch: 'more' })
    await repository.advance(QUIET_MS)
    expect(refusals()).toEqual([])
    const again = github.app.install({ repositories: [repository.full_name], id: repository.installation.id })
    await fixture.service.deliverAndRun(installationEvent(github, again, 'created'))
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toBeUndefined()
    await repository.push(number, ['src/pay.ts'])
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('2 other activities')
  })
})

describe('a comment whose id is not stored', () => {
  const many = (number: number, count: number) => {
    for (let each = 0; each < count; each += 1)
      repository.githubRepo.comment(number, { author: 'ben', body: 'Hm.' })
  }
  const own = (number: number) =>
    repository.githubRepo.comment(number, {
      author: 'deconflict[bot]',
      body: `${MARKER}\n\nOld`,
      app: 'deconflict',
    })
  const pages = () =>
    repository.calls().filter((route) => route.endsWith('/comments') && route.startsWith('GET'))

  test.each<[string, [number, number], number]>([
    ['among the newest of more than a thousand', [1250, 20], 2],
    ['among the first', [3, 1250], 1],
    ['in the middle', [650, 650], 9],
    ['as the newest of a full page', [1299, 0], 2],
  ])('%s', async (_, [before, after], calls) => {
    await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    many(number, before)
    own(number)
    many(number, after)
    await repository.deliver(number, 'opened')
    expect(repository.comment(number)).toContain('Severity: ')
    expect(creations()).toEqual([])
    expect(pages()).toHaveLength(calls)
  })

  test('is created after each page was read once, if none is found', async () => {
    await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    many(number, 400)
    await repository.deliver(number, 'opened')
    expect(repository.comment(number)).toContain('Severity: ')
    expect(pages()).toHaveLength(4)
  })
})
