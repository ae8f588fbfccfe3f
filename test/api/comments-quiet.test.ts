/** Who gets a comment, who gets none, and why (docs/contract/publishing.md#who-gets-it). */
import { describe, expect, test } from 'vitest'
import type { PullGiven } from '../support/github-repository.ts'
import { timestamp } from '../support/github-state.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

const { service, github, repository, useSettings } = usePullRequests()

const edit = (at: number, text: string, filename?: string) => editOfPay(at, [text], filename)
const open = (head: string, pull: PullGiven = {}) =>
  repository.open({ head, title: head, files: [edit(40, head)], ...pull })
/** Opens a pull request on GitHub, whose webhook does not arrive. */
const openUnseen = (head: string, pull: PullGiven = {}) =>
  repository.githubRepo.open({ head, author: `author-of-${head}`, files: [edit(40, head)], ...pull }).number
const hasComment = (number: number) => repository.comment(number) !== undefined
const daysAgo = (days: number) => timestamp(new Date(Date.now() - days * DAY_MS))
const signal = async () => (await repository.request('GET', '/signal')).body
const install = () => service.deliverAndRun(installationEvent(github, repository.installation, 'created'))

test('over budget, conflicts in one file are not shown on further pull requests', async () => {
  useSettings('check_run: true\ncomment: {budget: 0}')
  for (let at = 0; at < 18; at += 1)
    repository.githubRepo.open({ author: `ben-${at}`, files: [`src/${at}.ts`] })
  await install()
  await open('retries', { files: [edit(40, 'retries'), edit(40, 'retries', 'src/till.ts')] })
  const commented = await open('tidy')
  const number = await open('later')
  expect([commented, number].filter(hasComment)).toEqual([commented])
  expect(repository.githubRepo.checkRuns().at(-1)?.output.summary).toContain('`comment.budget`')
  await repository.advance(QUIET_MS)
  await repository.push(commented, [edit(41, 'tidy')])
  await repository.advance(QUIET_MS)
  expect(repository.comment(commented)).toContain('Severity: ')
})

describe('the App is installed on pull requests that conflict', () => {
  const importSome = async (pull: PullGiven = {}) => {
    const numbers = Array.from({ length: 4 }, (_, index) => openUnseen(`old-${index}`, pull))
    await install()
    await repository.advance(2 * QUIET_MS)
    return numbers as [number, number]
  }

  test('none gets a comment until it is pushed', async () => {
    const numbers = await importSome({ created_at: daysAgo(3) })
    const last = numbers.at(-1) as number
    expect(numbers.filter(hasComment)).toEqual([])
    expect((await repository.request('GET', '/overlaps')).body.items.length).toBeGreaterThan(0)
    await repository.push(last, [edit(40, 'again')])
    expect(numbers.filter(hasComment)).toEqual([last])
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

  test('one that was opened later, and whose first delivery is a label, gets a comment', async () => {
    await install()
    await open('first')
    const later = openUnseen('later', { created_at: timestamp(new Date(Date.now() + 5000)) })
    // The fake GitHub uses the real clock, which must not be ahead of that of the service.
    service.clock.advance(10_000)
    await repository.deliver(later, 'labeled')
    expect(hasComment(later)).toBe(true)
  })
})

const ofCopilot = (assignees: string[]): PullGiven => ({
  author: { login: 'Copilot', type: 'Bot' },
  assignees: ['Copilot', ...assignees],
})
const sameAuthor = async () => (await repository.request('GET', '/overlaps')).body.items[0].same_author

test('two pull requests of an account that works for many people are one author’s once the same person is assigned to both, and no longer when unassigned', async () => {
  await open('one', ofCopilot(['ada']))
  const number = await open('two', ofCopilot([]))
  const assign = async (assignees: string[]) => {
    repository.githubRepo.update(number, { assignees })
    await repository.deliver(number, assignees.length > 0 ? 'assigned' : 'unassigned')
    await repository.advance(QUIET_MS)
  }
  expect(hasComment(number)).toBe(true)
  await assign(['ada'])
  expect(await sameAuthor()).toBe(true)
  expect(repository.comment(number)).toContain('by the same author')
  await assign([])
  expect(await sameAuthor()).toBe(false)
  expect(repository.comment(number)).toMatch(/changes lines? 40/)
})

test.each([
  ['shadow', 1],
  ['off', 0],
])(
  'in mode %s nothing is posted, and of one pair that would be shown %i counts as shown',
  async (mode, shown) => {
    useSettings(`check_run: true\ncomment: {mode: ${mode}}`)
    await open('retries')
    const number = await open('tidy')
    await repository.advance(2 * QUIET_MS)
    const periods = [{}, { pairs: { shown }, comments: { posted: 0 } }]
    expect(await signal()).toMatchObject({ mode, periods })
    await repository.createActivity({ blocking: true })
    await repository.advance(2 * QUIET_MS)
    await repository.merge(number)
    expect(repository.writes()).toEqual([])
    expect((await repository.pairs()).length > 0).toBe(shown > 0)
  },
)
