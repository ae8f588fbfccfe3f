/** Branches that are stacked, by their commits or in a stack on GitHub, or for different base branches, do not collide. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { type PullAction, pullRequestEvent, refEvent, repositoryEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

const { service, github, repository, useSettings } = usePullRequests()

/** Pushes a commit to a branch, on top of the last of `commits`, which GitHub lists with it. Returns the new head. */
async function push(branch: string, commits: string[] = []): Promise<string> {
  const pushed = repository.githubRepo.push(branch, {}, commits.at(-1))
  await repository.deliverPush({ ...pushed, commits })
  return pushed.after
}

/** Opens a pull request for a pushed branch into the default branch. */
const open = (head: string) => repository.open({ head, title: head, author: head })

async function relationOf(branch: string, to: string): Promise<string> {
  const checked = await repository.request('POST', '/activity/check', { body: { branch } })
  const { items } = (await repository.request('GET', `/activity?branch=${to}`)).body
  return checked.body.relationships[items[0].id]
}

/** The relationship of the activities of two branches, in a check of either side and in the list of all collisions. */
async function relation(one: string, other: string): Promise<string> {
  await repository.advance(QUIET_MS)
  const labels = await Promise.all([relationOf(one, other), relationOf(other, one)])
  const { total } = (await repository.request('GET', '/overlaps')).body
  expect(labels[0]).toBe(labels[1])
  expect(total === 0).toBe(labels[0] === 'stacked')
  return labels[0]
}

/** What GitHub says of a pull request in its own stack. */
const at = (position: number) => ({ id: 1, number: 50, size: 3, position, base: { ref: 'main' } })

async function deliverIn(stack: unknown, number: number, action: PullAction): Promise<void> {
  const event = pullRequestEvent(github, repository.full_name, number, action)
  Object.assign(event.payload.pull_request as object, { stack })
  await service.deliverAndRun(event)
}

async function openedIn(stack: unknown, head: string): Promise<number> {
  const { number } = repository.githubRepo.open({ head, files: ['src/pay.ts'] })
  await deliverIn(stack, number, 'opened')
  return number
}

describe('two branches collide', () => {
  test('if they have commits of the default branch in common', async () => {
    const shared = repository.githubRepo.push('main').after
    await push('left', [shared])
    await push('right', [shared])
    for (const branch of ['left', 'right']) await open(branch)
    expect(await relation('left', 'right')).toBe('collision')
  })

  test('if they have the names of deleted branches that were a stack', async () => {
    await push('upper', [await push('lower')])
    await open('lower')
    await open('upper')
    expect(await relation('lower', 'upper')).toBe('stacked')
    repository.githubRepo.deleteBranch('upper')
    await service.deliverAndRun(refEvent(github, repository.full_name, 'delete', { branch: 'upper' }))
    await push('upper')
    await repository.createActivity({ branch: 'upper' })
    const { body } = await repository.request('POST', '/activity/check', {
      body: { branch: 'new', scope: { paths: ['src/pay.ts'] }, base_branch: 'upper' },
    })
    expect(Object.values(body.relationships)).toContain('collision')
  })

  test('if the stack was not pushed for the retention period', async () => {
    useSettings(`activity_ttl_ms: ${60 * DAY_MS}\nmax_activity_ttl_ms: ${90 * DAY_MS}`)
    await push('upper', [await push('lower')])
    await open('lower')
    await open('upper')
    service.clock.advance(31 * DAY_MS)
    await sweep(service.app)
    expect(await relation('lower', 'upper')).toBe('collision')
  })
})

describe('a branch that is taken off a stack', () => {
  /** Pushes a commit on top of `onto`, forced, as GitHub lists it: without the commits that the branch had before. */
  async function rebase(branch: string, onto: string): Promise<string> {
    const pushed = repository.githubRepo.push(branch, {}, onto)
    await repository.deliverPush({ ...pushed, forced: true })
    return pushed.after
  }
  const mainHead = () => repository.githubRepo.push('main').after
  const comparisons = () => repository.calls().filter((route) => route.startsWith('GET /compare/'))

  /** Opens `lower` and `upper`, which is built on it and is returned. */
  async function openStack(): Promise<number> {
    await push('upper', [await push('lower')])
    await open('lower')
    return open('upper')
  }

  test('collides after a forced push, by one comparison, and its reader is told, until it is pushed onto the stack again', async () => {
    const upper = await openStack()
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect([upper - 1, upper].map(repository.comment)).toEqual([undefined, undefined])
    await rebase('upper', mainHead())
    await repository.deliver(upper, 'synchronize')
    expect(await relation('lower', 'upper')).toBe('collision')
    expect(comparisons()).toEqual(['GET /compare/main...upper'])
    expect(repository.comment(upper)).toContain('Severity: ')
    await push('upper', [repository.githubRepo.pull(upper - 1).head.sha])
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(await repository.pairs()).toMatchObject([{ outcome: 'resolved' }])
  })

  test('stays stacked if only the branch below was rebased', async () => {
    await openStack()
    await rebase('lower', mainHead())
    expect(await relation('lower', 'upper')).toBe('stacked')
  })

  test('collides with the middle of the stack if it was moved to the bottom', async () => {
    const first = await push('lower')
    const second = await push('middle', [first])
    await push('upper', [first, second])
    for (const branch of ['upper', 'middle', 'lower']) await open(branch)
    expect(await relationOf('upper', 'middle')).toBe('stacked')
    await rebase('upper', first)
    expect(await relationOf('upper', 'middle')).toBe('collision')
    expect(await relationOf('upper', 'lower')).toBe('stacked')
  })

  test('is not stacked on a pull request that is opened after the forced push', async () => {
    await push('upper', [await push('lower')])
    await rebase('upper', mainHead())
    expect(comparisons()).toEqual([])
    await open('upper')
    await open('lower')
    expect(await relation('lower', 'upper')).toBe('collision')
  })

  test('is not compared if it never was on one', async () => {
    await push('alone')
    await open('alone')
    await rebase('alone', mainHead())
    expect(comparisons()).toEqual([])
  })

  test.each([
    ['collision', 'no commits'],
    ['stacked', 'commits'],
  ])('is a %s if its pull request gets another base branch and it has %s of the stack', async (then, has) => {
    const first = await push('lower')
    await open('lower')
    if (has === 'commits') repository.githubRepo.push('upper', {}, first)
    else await push('upper')
    const upper = await repository.open({ head: 'upper', base: 'lower', author: 'upper' })
    expect(await relation('lower', 'upper')).toBe('stacked')
    repository.githubRepo.update(upper, { base: 'main' })
    await repository.deliver(upper, 'edited')
    expect(await relation('lower', 'upper')).toBe(then)
  })

  test('stays stacked if GitHub still shows it in its stack', async () => {
    for (const [index, head] of ['lower', 'upper'].entries()) {
      await push(head)
      await openedIn(at(index + 1), head)
    }
    await rebase('upper', mainHead())
    expect(comparisons()).toHaveLength(1)
    expect(await relation('lower', 'upper')).toBe('stacked')
  })
})

describe("GitHub's own stack", () => {
  test('relates its pull requests, although those between are unknown', async () => {
    // The list of the fake GitHub does not show stacks, and is read with the first event.
    await repository.request('GET', '/settings')
    const numbers = [await openedIn(at(1), 'lower'), await openedIn(at(3), 'upper')]
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(numbers.map(repository.comment)).toEqual([undefined, undefined])
  })

  test('does not relate a pull request that left it', async () => {
    await openedIn(at(1), 'lower')
    const upper = await openedIn(at(2), 'upper')
    await deliverIn(null, upper, 'edited')
    expect(await relation('lower', 'upper')).toBe('collision')
  })
})

test('declared work on a branch that was merged and deleted is for its base branch', async () => {
  const lower = await repository.openBranch('lower', editOfPay(80, ['one()']))
  const changes = [{ path: 'src/pay.ts', patch: editOfPay(40, ['two()']).patch }]
  await repository.createActivity({ branch: 'upper', base_branch: 'lower', scope: { changes } })
  await repository.merge(lower)
  repository.githubRepo.deleteBranch('lower')
  await service.deliverAndRun(refEvent(github, repository.full_name, 'delete', { branch: 'lower' }))
  const other = await repository.openBranch('other', editOfPay(40, ['three()']))
  expect(repository.comment(other)).toContain('Severity: ')
})

test('work for the default branch before it was renamed is for its new name', async () => {
  await repository.createActivity({ branch: 'retries', base_branch: 'master', risk: 'high' })
  const number = await repository.open({ base: 'main' })
  repository.githubRepo.push('master')
  repository.githubRepo.renameBranch('master', 'main')
  await service.deliverAndRun(repositoryEvent(github, repository.full_name, 'edited'))
  expect(repository.comment(number)).toContain('Severity: ')
})

test.each([
  ['release/1.x', {}, 'given_up'],
  ['release/1.x', { files: ['docs/a.md'] }, 'given_up'],
  ['fix', {}, 'open'],
])(
  'each pair of a pull request that is retargeted to %s %j, with the others of which it is no more compared, ends',
  async (base, files, rest) => {
    const changes = [{ path: 'src/pay.ts', patch: editOfPay(40, ['fix()']).patch }]
    await repository.createActivity({ branch: 'agent', base_branch: 'main', scope: { changes } })
    await repository.openBranch('fix', editOfPay(40, ['fix(1)']))
    const number = await repository.openBranch('backport', editOfPay(40, ['backport()']))
    const upper = await repository.open({ head: 'upper', base: 'backport', files: [editOfPay(40, ['up()'])] })
    repository.githubRepo.update(number, { base, ...files })
    await repository.deliver(number, { action: 'edited', from: { base: 'main' } })
    await repository.advance(2 * QUIET_MS)
    const pairs = (await repository.pairs()).filter(({ a, b }) => [a, b].includes(`#${number}`))
    expect(pairs.map(({ outcome }) => outcome)).toEqual(['given_up', rest])
    expect(repository.comment(upper)).toMatch(rest === 'open' ? /changes .* too/ : /No overlap any more/)
    expect(repository.comment(upper)).not.toContain('#1')
  },
)
