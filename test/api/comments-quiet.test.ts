/** A maintainer's first week: what makes no comment, and what does (docs/contract/publishing.md#first-comment). */
import { describe, expect, test } from 'vitest'
import type { PullGiven } from '../support/github-repository.ts'
import { timestamp } from '../support/github-state.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const { fixture, github, repository, useSettings } = usePullRequests()

const edit = (at: number, text: string) => editOfPay(at, [text])
const open = (head: string, pull: PullGiven = {}) =>
  repository.open({ head, title: head, files: [edit(40, head)], ...pull })
/** Opens a pull request on GitHub, whose webhook does not arrive. */
const openUnseen = (head: string, pull: PullGiven = {}) =>
  repository.githubRepo.open({ head, author: `author-of-${head}`, files: [edit(40, head)], ...pull }).number
const hasComment = (number: number) => repository.comment(number) !== undefined
const daysAgo = (days: number) => timestamp(new Date(Date.now() - days * DAY_MS))
const signal = async () => (await repository.request('GET', '/signal')).body
const install = () =>
  fixture.service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
const pushed = (number: number, text: string) => repository.push(number, [edit(40, text)])

describe('the App is installed on pull requests that conflict', () => {
  const importSome = async (pull: PullGiven = {}) => {
    const numbers = Array.from({ length: 12 }, (_, index) => openUnseen(`old-${index}`, pull))
    await install()
    await repository.advance(2 * QUIET_MS)
    return numbers as [number, number]
  }

  test('none gets a comment', async () => {
    await importSome({ created_at: daysAgo(3) })
    expect(repository.writes()).toEqual([])
    expect((await signal()).recorded).toBe(66)
  })

  test('one that is pushed gets a comment', async () => {
    const numbers = await importSome({ created_at: daysAgo(3) })
    const last = numbers.at(-1) as number
    await pushed(last, 'again')
    expect(numbers.filter(hasComment)).toEqual([last])
  })

  test('old ones are rechecked because of their own events only, and pairs with them are recorded', async () => {
    const [first] = await importSome({ created_at: daysAgo(60) })
    const rechecks = async () => {
      const jobs = await fixture.service.jobs('recheck')
      return jobs.find(({ id }) => id.endsWith(`:${first}`))?.run
    }
    const before = await rechecks()
    expect(before).toBeGreaterThan(0)
    await open('new')
    expect(await rechecks()).toBe(before)
    expect((await signal()).recorded).toBe(66 + 12)
    await pushed(first, 'again')
    expect(await rechecks()).toBeGreaterThan(before as number)
  })

  test('a draft that is made ready gets a comment', async () => {
    const [first] = await importSome({ created_at: daysAgo(60) })
    const draft = openUnseen('draft', { draft: true, created_at: daysAgo(60), files: [edit(80, 'draft')] })
    await install()
    repository.githubRepo.update(first, { files: [edit(80, 'first')] })
    await repository.deliver(first, 'synchronize')
    await repository.advance(2 * QUIET_MS)
    expect(hasComment(draft)).toBe(false)
    repository.githubRepo.update(draft, { draft: false })
    await repository.deliver(draft, 'ready_for_review')
    await repository.advance(QUIET_MS)
    expect((await repository.request('GET', '/overlaps')).body.items.length).toBeGreaterThan(0)
    expect(hasComment(draft)).toBe(true)
  })

  test('a label is no push: none that was pushed 60 days ago is shown to a new one', async () => {
    const [first] = await importSome({ created_at: daysAgo(60) })
    repository.githubRepo.update(first, { labels: ['bug'] })
    await repository.deliver(first, 'labeled')
    expect(hasComment(await open('new'))).toBe(false)
  })

  test.each(['labeled', 'edited'] as const)(
    'one that was opened later, and whose first delivery is %s, gets a comment',
    async (action) => {
      await install()
      await open('first')
      const later = openUnseen('later', { created_at: timestamp(new Date(Date.now() + 5000)) })
      // The fake GitHub uses the real clock, which must not be ahead of that of the service.
      fixture.service.clock.advance(10_000)
      await repository.deliver(later, action)
      expect(hasComment(later)).toBe(true)
    },
  )

  test('one that was opened before, and whose first delivery is a label, gets none', async () => {
    const earlier = openUnseen('earlier', { created_at: daysAgo(1) })
    await open('first')
    await repository.deliver(earlier, 'labeled')
    expect(hasComment(earlier)).toBe(false)
  })
})

test('comments that are switched on are not made up for', async () => {
  useSettings('comment: {mode: shadow}')
  const numbers = [await open('one'), await open('two')]
  await repository.advance(QUIET_MS)
  await repository.writeFile('.github/deconflict.yml', 'comment: {mode: on}')
  await repository.advance(QUIET_MS)
  expect(numbers.filter(hasComment)).toEqual([])
  await pushed(numbers[1] as number, 'again')
  expect(numbers.filter(hasComment)).toEqual([numbers[1]])
})

describe('a notable for the whole repository', () => {
  test.each([
    ['medium', false],
    ['high', true],
  ])('of importance %s makes no comment, and with the next push: %s', async (importance, expected) => {
    const numbers = [await open('one'), await open('two', { files: ['docs/a.md'] })]
    await repository.advance(QUIET_MS)
    const before = numbers.filter(hasComment)
    await repository.createNotable({ importance })
    expect(numbers.filter(hasComment)).toEqual(before)
    await repository.advance(QUIET_MS)
    for (const number of numbers) await repository.push(number, [`docs/${number}.md`])
    await repository.advance(QUIET_MS)
    expect(numbers.map(hasComment)).toEqual([expected, expected])
  })

  test('stands in a comment that exists, whatever its importance', async () => {
    await open('one')
    const number = await open('two')
    await repository.createNotable({ title: 'Freeze' })
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('`Freeze` (medium), for the whole repository')
  })

  test('makes comments that do not count for the budget', async () => {
    await repository.createNotable({ importance: 'high' })
    expect(hasComment(await open('one'))).toBe(true)
    expect(await signal()).toMatchObject({ pull_requests: 1, commented: 0 })
  })
})

describe('work that blocks every path', () => {
  test('makes a comment on each pull request with its next push, which does not count for the budget', async () => {
    const numbers = [await open('one'), await open('two', { files: ['docs/a.md'] })]
    await repository.advance(QUIET_MS)
    const [, commented] = [numbers.filter(hasComment), (await signal()).commented]
    await repository.createActivity({ blocking: true, scope: { paths: ['**'] } })
    await repository.advance(QUIET_MS)
    expect(numbers.filter(hasComment)).toEqual([])
    await repository.push(numbers[0] as number, ['docs/b.md'])
    expect(numbers.map(hasComment)).toEqual([true, false])
    expect((await signal()).commented).toBe(commented)
  })
})

describe('work that is declared by globs', () => {
  const declare = (given: object) => repository.createActivity({ scope: { paths: ['src/**'] }, ...given })

  test.each<[string, object, boolean]>([
    ['of low risk makes none', {}, false],
    ['of medium risk makes none', { risk: 'medium' }, false],
    ['of high risk makes one', { risk: 'high' }, true],
    ['of critical risk makes one', { risk: 'critical' }, true],
    ['that blocks makes one', { blocking: true }, true],
    ['that names a folder makes none', { scope: { paths: ['src'] } }, false],
    ['that names the file makes one', { scope: { paths: ['./src/pay.ts'] } }, true],
    ['that names the file beside a glob makes one', { scope: { paths: ['src/**', 'src/pay.ts'] } }, true],
  ])('%s', async (_, given, expected) => {
    await declare(given)
    expect(hasComment(await open('one'))).toBe(expected)
  })

  test('is in the answers, in the check run and in the ledger', async () => {
    useSettings('check_run: true')
    const id = await declare({})
    await open('one')
    const { body } = await repository.request('GET', `/activity/${id}`)
    expect(body.overlap).toMatchObject({ overlap_detected: true, severity: 'medium' })
    const [run] = repository.githubRepo.checkRuns()
    expect(run?.output.summary).toContain('(medium, declared by a glob, not by file)')
    expect(await signal()).toMatchObject({ recorded: 1, pairs: { shown: 0 } })
  })

  test('counts as a pair of kind `declared` once it is shown', async () => {
    await declare({ risk: 'high' })
    await open('one')
    expect(await signal()).toMatchObject({
      pairs: { shown: 1 },
      recent: [{ kind: 'declared', verdict: null }],
    })
  })
})

describe('two pull requests of an account that works for many people', () => {
  const ofCopilot = (assignees: string[]): PullGiven => ({
    author: { login: 'Copilot', type: 'Bot' },
    assignees: ['Copilot', ...assignees],
  })
  const sameAuthor = async () => (await repository.request('GET', '/overlaps')).body.items[0].same_author

  test.each<[string, string[], string[], boolean]>([
    ['nobody is assigned', [], [], false],
    ['two people are assigned', ['ada'], ['ben'], false],
    ['one person is assigned to one', ['ada'], [], false],
    ['one person is assigned to both', ['ada', 'cy'], ['ada'], true],
  ])('%s', async (_, first, second, is_same) => {
    await open('one', ofCopilot(first))
    const number = await open('two', ofCopilot(second))
    expect(await sameAuthor()).toBe(is_same)
    expect(hasComment(number)).toBe(!is_same)
  })

  test('are one author’s once the same person is assigned to both, and no longer when unassigned', async () => {
    await open('one', ofCopilot(['ada']))
    const number = await open('two', ofCopilot([]))
    const assign = async (assignees: string[]) => {
      repository.githubRepo.update(number, { assignees })
      await repository.deliver(number, assignees.length > 0 ? 'assigned' : 'unassigned')
      await repository.advance(QUIET_MS)
    }
    await assign(['ada'])
    expect(repository.comment(number)).toContain('by the same author')
    await assign([])
    expect(repository.comment(number)).toMatch(/changes lines? 40/)
  })

  test('of a person stay one author’s, whoever is assigned', async () => {
    await open('one', { author: 'ada', assignees: ['ben'] })
    expect(hasComment(await open('two', { author: 'ada', assignees: ['cy'] }))).toBe(false)
  })

  test('of an account that the settings name', async () => {
    useSettings('comment: {agents: [acme-agent]}')
    await open('one', { author: 'acme-agent[bot]' })
    expect(hasComment(await open('two', { author: 'acme-agent[bot]' }))).toBe(true)
  })
})

describe('a user whom the settings call a bot', () => {
  test('gets no comment, and makes none', async () => {
    useSettings('comment: {bots: [acme-ci]}')
    const numbers = [
      await open('one', { author: 'Acme-CI' }),
      await open('two'),
      await open('three', { author: 'acme-ci' }),
    ]
    expect(numbers.filter(hasComment)).toEqual([])
    expect((await signal()).pull_requests).toBe(1)
  })
})
