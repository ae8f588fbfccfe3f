/** Which side of an overlap gets a comment, and what it names. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { pairs } from '../../src/server/ledger/table.ts'
import type { PullGiven } from '../support/github-repository.ts'
import { timestamp } from '../support/github-state.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const PUBLIC_URL = 'https://deconflict.example'
const BOT = { login: 'renovate[bot]', type: 'Bot' } as const
const AGENT = { login: 'Copilot', type: 'Bot' } as const

const { fixture, github, repository, useSettings } = usePullRequests({ config: { public_url: PUBLIC_URL } })

const edit = (at: number, text: string, filename?: string) => editOfPay(at, [text], filename)
/** Opens a pull request on the lines that the others change too, unless `pull` has other files. */
const open = (head: string, pull: PullGiven = {}) =>
  repository.open({ head, title: head, files: [edit(40, head)], ...pull })
const haveComment = (...numbers: number[]) =>
  numbers.map((number) => repository.comment(number) !== undefined)
const daysAgo = (days: number) => timestamp(new Date(Date.now() - days * DAY_MS))
const ledger = () => {
  const db = fixture.service.app.database.connection()
  return db.select().from(pairs).where(eq(pairs.repo_id, repository.id)).orderBy(pairs.first)
}
const activityOn = async (branch: string) =>
  (await repository.request('GET', `/activity?branch=${branch}`)).body.items[0]

describe('of two pull requests on the same lines', () => {
  test.each<[string, PullGiven, PullGiven, [boolean, boolean]]>([
    ['the later one gets the comment', {}, {}, [false, true]],
    ['the later one gets the comment if the first is a coding agent’s', { author: AGENT }, {}, [false, true]],
    ['the later one gets the comment if it is a coding agent’s', {}, { author: AGENT }, [false, true]],
    ['none gets a comment if the first is a bot’s', { author: BOT }, {}, [false, false]],
    ['none gets a comment if the later one is a bot’s', {}, { author: BOT }, [false, false]],
    ['none gets a comment if both have one author', { author: 'ben' }, { author: 'Ben' }, [false, false]],
    ['none gets a comment if the later one is muted', {}, { labels: ['deconflict:mute'] }, [false, false]],
    [
      'none gets a comment if the first was not pushed for 15 days',
      { created_at: daysAgo(15) },
      {},
      [false, false],
    ],
    [
      'the later one gets the comment if the first was pushed within 14 days',
      { created_at: daysAgo(13) },
      {},
      [false, true],
    ],
  ])('%s', async (_, first, second, expected) => {
    const numbers = [await open('retries', first), await open('tidy', second)]
    await repository.advance(2 * QUIET_MS)
    expect(haveComment(...numbers)).toEqual(expected)
  })

  test('the one whose push caused the overlap gets the comment, although it was opened first', async () => {
    const first = await open('retries', { files: [edit(100, 'retries')] })
    const second = await open('tidy')
    await repository.advance(QUIET_MS)
    await repository.push(first, [edit(40, 'retries')])
    await repository.advance(2 * QUIET_MS)
    expect(haveComment(first, second)).toEqual([true, false])
  })

  test('both get a comment with {audience: both}', async () => {
    useSettings('comment: {audience: both}')
    const numbers = [await open('retries'), await open('tidy')]
    expect(haveComment(...numbers)).toEqual([true, true])
  })

  test('both get a comment with {same_author: true}, if the audience is both', async () => {
    useSettings('comment: {audience: both, same_author: true}')
    const numbers = [await open('retries', { author: 'ben' }), await open('tidy', { author: 'ben' })]
    expect(haveComment(...numbers)).toEqual([true, true])
  })

  test.each(['retries', 'tidy'])('both get a comment if the one on %s is blocking', async (blocking) => {
    const numbers = [await open('retries'), await open('tidy')]
    const { id } = await activityOn(blocking)
    await repository.request('PATCH', `/activity/${id}`, { body: { blocking: true } })
    await repository.advance(2 * QUIET_MS)
    expect(haveComment(...numbers)).toEqual([true, true])
  })
})

describe('of a pull request and declared work', () => {
  test('the pull request gets a comment if it was opened later', async () => {
    await repository.createActivity()
    expect(haveComment(await open('tidy'))).toEqual([true])
  })

  test('the pull request gets no comment about work that was declared later, whose response shows the overlap', async () => {
    const number = await open('tidy')
    await repository.advance(2 * QUIET_MS)
    const { filename, patch } = edit(41, 'retries')
    const { status, body } = await repository.request('POST', '/activity', {
      body: {
        title: 'Retry payments',
        summary: 'Retries twice.',
        actor: 'Ben',
        branch: 'retries',
        scope: { changes: [{ path: filename, patch }] },
      },
    })
    expect(status).toBe(201)
    expect(body.overlap.severity).toBe('high')
    await repository.advance(2 * QUIET_MS)
    expect(haveComment(number)).toEqual([false])
    expect(await ledger()).toMatchObject([
      {
        first: `#${number}`,
        second: 'branch:retries',
        first_shown_at: null,
        second_shown_at: expect.any(Date),
      },
    ])
  })

  test('the pull request gets no comment about work of its author', async () => {
    await repository.createActivity()
    expect(haveComment(await open('tidy', { author: 'ada' }))).toEqual([false])
  })

  test('the pull request gets a comment about other work by the account that declared its own', async () => {
    await repository.createActivity({ branch: 'tidy' })
    await repository.createActivity({ branch: 'retries', actor: 'Cy' })
    expect(haveComment(await open('tidy', { author: 'ben' }))).toEqual([true])
  })

  test('the pull request gets a comment about blocking work that was declared later', async () => {
    const number = await open('tidy')
    await repository.advance(2 * QUIET_MS)
    await repository.createActivity({ branch: 'other' })
    expect(haveComment(number)).toEqual([false])
    await repository.createActivity({ blocking: true })
    expect(haveComment(number)).toEqual([true])
  })

  test('the pull request gets a comment about a high notable with its next push', async () => {
    const number = await open('tidy')
    await repository.advance(2 * QUIET_MS)
    await repository.createNotable({ importance: 'high' })
    expect(haveComment(number)).toEqual([false])
    await repository.advance(QUIET_MS)
    await repository.push(number, [edit(100, 'tidy')])
    expect(haveComment(number)).toEqual([true])
  })
})

test('a comment names three other pull requests and links to the rest, which do not count as shown', async () => {
  for (const head of ['a', 'b', 'c', 'd']) await open(head)
  const number = await open('tidy')
  await repository.advance(2 * QUIET_MS)
  const text = repository.comment(number)
  expect(text).toContain('overlaps with 4 other activities')
  expect(new Set(text?.match(/\[`#\d+`\]/g)).size).toBe(3)
  expect(text).toContain(`… and 1 more ([all](${PUBLIC_URL}/#/${repository.full_name}?pr=${number})).`)
  const shown = (await ledger()).filter(
    ({ second, second_shown_at }) => second === `#${number}` && second_shown_at,
  )
  expect(shown).toHaveLength(3)
})

describe('over budget', () => {
  /** 18 pull requests and two more on the same lines, the second of which has a comment. */
  async function overBudget(): Promise<number> {
    useSettings('check_run: true\ncomment: {budget: 0}')
    for (let at = 0; at < 18; at += 1)
      repository.githubRepo.open({ author: `ben-${at}`, files: [`src/${at}.ts`] })
    await fixture.service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
    await open('retries', { files: [edit(40, 'retries'), edit(40, 'retries', 'src/till.ts')] })
    return open('tidy')
  }

  test('conflicts in one file are not shown on further pull requests', async () => {
    const commented = await overBudget()
    const number = await open('later')
    expect(haveComment(commented, number)).toEqual([true, false])
    expect(repository.githubRepo.checkRuns().at(-1)?.output.summary).toContain('`comment.budget`')
    await repository.advance(QUIET_MS)
    await repository.push(commented, [edit(41, 'tidy')])
    await repository.advance(QUIET_MS)
    expect(repository.comment(commented)).toContain('Severity: ')
  })

  test('conflicts in two files are still shown', async () => {
    await overBudget()
    const files = [edit(40, 'later'), edit(40, 'later', 'src/till.ts')]
    expect(haveComment(await open('later', { files }))).toEqual([true])
  })
})

test('in shadow mode nothing is posted, and the ledger records what would have been posted', async () => {
  useSettings('check_run: true\ncomment: {mode: shadow}')
  await open('retries')
  const number = await open('tidy')
  await repository.advance(2 * QUIET_MS)
  expect(repository.writes()).toEqual([])
  expect(await ledger()).toMatchObject([
    { second: `#${number}`, first_shown_at: null, second_shown_at: expect.any(Date) },
  ])
})

test.each(['mode: off', 'enabled: false'])('with {%s} nothing is posted or entered', async (mode) => {
  useSettings(`check_run: true\ncomment: {${mode}}`)
  await open('retries')
  const number = await open('tidy')
  await repository.createActivity({ blocking: true })
  await repository.advance(2 * QUIET_MS)
  repository.githubRepo.merge(number)
  await repository.deliver(number, 'closed')
  expect(repository.writes()).toEqual([])
  expect(await ledger()).toEqual([])
})
