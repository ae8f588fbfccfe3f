/** Branches that are stacked, by their commits or in a stack on GitHub, do not collide. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { type PullAction, pullRequestEvent, pushEvent, refEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

const { fixture, github, repository } = usePullRequests()

/** Pushes a commit to a branch, after `commits` that GitHub lists with it. Returns the new head. */
async function push(branch: string, commits: string[] = []): Promise<string> {
  const pushed = repository.githubRepo.push(branch)
  await fixture.service.deliverAndRun(pushEvent(github, repository.full_name, { ...pushed, commits }))
  return pushed.after
}

/** Opens a pull request for a pushed branch into the default branch. */
const open = (head: string) => repository.open({ head, title: head, author: head })

/** The relationship of the activities of two branches, in a check of either side and in the list of all collisions. */
async function relation(one: string, other: string): Promise<string> {
  await repository.advance(QUIET_MS)
  const labels = await Promise.all(
    [
      [one, other],
      [other, one],
    ].map(async ([branch, to]) => {
      const checked = await repository.request('POST', '/activity/check', { body: { branch } })
      const { items } = (await repository.request('GET', `/activity?branch=${to}`)).body
      return checked.body.relationships[items[0].id]
    }),
  )
  const { total } = (await repository.request('GET', '/overlaps')).body
  expect(labels[0]).toBe(labels[1])
  expect(total === 0).toBe(labels[0] === 'stacked')
  return labels[0]
}

describe('a branch whose pushes contain the head of a pull request is stacked on it', () => {
  test('if it is pushed after the pull request was opened', async () => {
    const first = await push('lower')
    const lower = await open('lower')
    await push('upper', [first])
    const upper = await open('upper')
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(repository.comment(lower)).toBeUndefined()
    expect(repository.comment(upper)).toBeUndefined()
  })

  test('if both are pushed before either is opened', async () => {
    await push('upper', [await push('lower')])
    const numbers = [await open('upper'), await open('lower')]
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(numbers.map(repository.comment)).toEqual([undefined, undefined])
  })

  test('even after further pushes to either', async () => {
    await push('upper', [await push('lower')])
    await open('lower')
    const upper = await open('upper')
    await push('lower')
    await push('upper')
    await repository.push(upper, ['src/pay.ts', 'src/cart.ts'])
    expect(await relation('lower', 'upper')).toBe('stacked')
  })

  test('which updates a comment that was published before', async () => {
    const first = await push('lower')
    await open('lower')
    await push('upper')
    const upper = await open('upper')
    expect(await relation('lower', 'upper')).toBe('collision')
    expect(repository.comment(upper)).toContain('Severity: ')
    await push('upper', [first])
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(repository.comment(upper)).toMatch(/^\*\*No overlap any more\.\*\* /m)
  })

  test('over several steps', async () => {
    const first = await push('lower')
    const second = await push('middle', [first])
    await push('upper', [second])
    for (const branch of ['lower', 'middle', 'upper']) await open(branch)
    expect(await relation('lower', 'upper')).toBe('stacked')
    const { items } = (await repository.request('GET', '/activity?branch=middle')).body
    await repository.request('POST', `/activity/${items[0].id}/archive`)
    expect(await relation('lower', 'upper')).toBe('stacked')
  })
})

describe('two branches collide', () => {
  test('if they are built on one pull request, but not on each other', async () => {
    const first = await push('lower')
    await open('lower')
    await push('left', [first])
    await push('right', [first])
    for (const branch of ['left', 'right']) await open(branch)
    await repository.advance(QUIET_MS)
    const { body } = await repository.request('POST', '/activity/check', { body: { branch: 'left' } })
    expect(Object.values(body.relationships).sort()).toEqual(['collision', 'own', 'stacked'])
  })

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
    await fixture.service.deliverAndRun(refEvent(github, repository.full_name, 'delete', { branch: 'upper' }))
    await push('upper')
    await repository.createActivity({ branch: 'upper' })
    const { body } = await repository.request('POST', '/activity/check', {
      body: { branch: 'new', scope: { paths: ['src/pay.ts'] }, base_branch: 'upper' },
    })
    expect(Object.values(body.relationships)).toContain('collision')
  })

  test('if the stack was not pushed for the retention period', async () => {
    await push('upper', [await push('lower')])
    await open('lower')
    await open('upper')
    for (let day = 0; day < 31; day += 1) {
      fixture.service.clock.advance(DAY_MS)
      for (const branch of ['lower', 'upper']) {
        const { items } = (await repository.request('GET', `/activity?branch=${branch}`)).body
        for (const { id } of items) await repository.request('POST', `/activity/${id}/heartbeat`)
      }
    }
    await repository.createActivity({ branch: 'lower' })
    await repository.createActivity({ branch: 'upper' })
    await sweep(fixture.service.app)
    expect(await relation('lower', 'upper')).toBe('collision')
  })
})

describe("GitHub's own stack", () => {
  async function deliver(number: number, action: PullAction, stack: unknown): Promise<void> {
    const event = pullRequestEvent(github, repository.full_name, number, action)
    Object.assign(event.payload.pull_request as object, { stack })
    await fixture.service.deliverAndRun(event)
  }
  const at = (position: number) => ({ id: 1, number: 50, size: 3, position, base: { ref: 'main' } })

  async function opened(head: string, stack: unknown): Promise<number> {
    const { number } = repository.githubRepo.open({ head, files: ['src/pay.ts'] })
    await deliver(number, 'opened', stack)
    return number
  }

  test('relates its pull requests, although those between are unknown', async () => {
    const numbers = [await opened('lower', at(1)), await opened('upper', at(3))]
    expect(await relation('lower', 'upper')).toBe('stacked')
    expect(numbers.map(repository.comment)).toEqual([undefined, undefined])
  })

  test('does not relate a pull request that left it', async () => {
    await opened('lower', at(1))
    const upper = await opened('upper', at(2))
    await deliver(upper, 'edited', null)
    expect(await relation('lower', 'upper')).toBe('collision')
  })

  test.each([[null], [{ base: { ref: 'main' } }], ['50'], [{ number: 0, position: 1 }]])(
    'of the form %j is none',
    async (stack) => {
      await opened('lower', stack)
      await opened('upper', stack)
      expect(await relation('lower', 'upper')).toBe('collision')
    },
  )
})
