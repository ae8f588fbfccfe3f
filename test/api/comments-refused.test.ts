/** What the app does where GitHub takes no comment, and how it finds its own among many (contract §10). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, type Shop, startToldService, type ToldService } from '../support/told-service.ts'
import { installationEvent, repositoryEvent } from '../support/webhooks.ts'

const github = fakeGithub()
let told: ToldService
let shop: Shop

beforeAll(async () => {
  told = await startToldService(github)
})
beforeEach(() => {
  shop = told.shop()
})
afterAll(async () => {
  github.mend()
  await told.service.close()
  github.close()
})

const MARKER = '<!-- deconflict:pull-request -->'
const creations = () => shop.writes().filter((route) => route.startsWith('POST '))
const refusals = () =>
  told.service.log
    .map((line) => JSON.parse(line))
    .filter(({ repo_id, msg }) => repo_id === shop.id && msg === 'github refused write')

describe('a comment that GitHub refuses for good', () => {
  test.each<[string, () => Promise<number>]>([
    ['because the conversation is locked', () => shop.open({ locked: true })],
    [
      'because the repository is archived',
      () => {
        shop.desk.repository.archived = true
        return shop.open()
      },
    ],
    [
      'because of what it holds',
      () => {
        github.fault(`POST /repos/${shop.full_name}/issues/*`, 'unprocessable')
        return shop.open()
      },
    ],
    [
      'because there is no such conversation',
      () => {
        github.fault(`POST /repos/${shop.full_name}/issues/*`, 'not_found')
        return shop.open()
      },
    ],
  ])('%s is sent once, and no job fails of it', async (_, open) => {
    await shop.work()
    const number = await open()
    await shop.tell(number, 'labeled')
    await shop.pass(QUIET_MS)
    await shop.pass(QUIET_MS)
    expect(creations()).toHaveLength(1)
    expect(refusals()).toHaveLength(1)
    expect(shop.comment(number)).toBeUndefined()
  })

  test('is tried again with another text, and nobody is told that what nobody was told of is gone', async () => {
    const first = await shop.work()
    const number = await shop.open({ locked: true })
    await shop.pass(QUIET_MS)
    const second = await shop.work({ branch: 'more' })
    expect(creations()).toHaveLength(2)
    await shop.pass(QUIET_MS)
    for (const id of [first, second]) await shop.ask('POST', `/activity/${id}/archive`)
    await shop.pass(QUIET_MS)
    expect(creations()).toHaveLength(2)
    expect(shop.comment(number)).toBeUndefined()
  })

  test('is made when there is reason for the same text later, and GitHub took another one meanwhile', async () => {
    await shop.work()
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'unprocessable', 1)
    const number = await shop.open()
    await shop.pass(QUIET_MS)
    const second = await shop.work({ branch: 'more' })
    expect(shop.comment(number)).toContain('2 other works')
    await shop.pass(QUIET_MS)
    await shop.ask('POST', `/activity/${second}/archive`)
    await shop.pass(0)
    expect(shop.comment(number)).toContain('one other work')
  })

  test('is made when the conversation is unlocked', async () => {
    await shop.work()
    const number = await shop.open({ locked: true })
    shop.desk.update(number, { locked: false })
    await shop.tell(number, 'unlocked')
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
    expect(creations()).toHaveLength(2)
  })

  test('is made when the repository is no longer archived', async () => {
    await shop.work()
    shop.desk.repository.archived = true
    const number = await shop.open()
    shop.desk.repository.archived = false
    await told.service.play(repositoryEvent(github, shop.full_name, 'unarchived'))
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
  })

  test('that changes one which is there keeps what that says, until GitHub takes it', async () => {
    await shop.work()
    const number = await shop.open()
    const before = shop.comment(number)
    github.fault(`PATCH /repos/${shop.full_name}/issues/*`, 'forbidden')
    await shop.pass(QUIET_MS)
    await shop.work({ branch: 'more' })
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toBe(before)
    github.mend()
    await shop.work({ branch: 'still-more' })
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('3 other works')
    expect(creations()).toHaveLength(1)
  })

  test('and a limit without its header, which is none, is waited for', async () => {
    await shop.work()
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'limited_without_header', 1)
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    await shop.tell(number, 'opened').catch(() => {})
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
  })

  test('because the repository was taken from the app is no refusal: nothing more is sent there', async () => {
    const number = await shop.open()
    github.app.removeRepositories(shop.installation.id, [shop.full_name])
    await shop.work()
    expect(refusals()).toEqual([])
    const before = shop.calls().length
    await shop.work({ branch: 'more' })
    await shop.pass(QUIET_MS)
    expect(shop.calls().length).toBe(before)
    expect(shop.comment(number)).toBeUndefined()
  })

  test('because the app was taken off is no refusal: it is followed no more', async () => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    await shop.tell(number, 'labeled')
    await shop.pass(QUIET_MS)
    github.app.uninstall(shop.installation.id)
    await shop.work({ branch: 'more' })
    await shop.pass(QUIET_MS)
    expect(refusals()).toEqual([])
    const again = github.app.install({ repositories: [shop.full_name], id: shop.installation.id })
    await told.service.play(installationEvent(github, again, 'created'))
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('2 other works')
  })
})

describe('its own comment, of which it knows no more, is found', () => {
  const many = (number: number, count: number) => {
    for (let each = 0; each < count; each += 1) shop.desk.comment(number, { author: 'ben', body: 'Hm.' })
  }
  const own = (number: number) =>
    shop.desk.comment(number, { author: 'deconflict[bot]', body: `${MARKER}\n\nOld`, app: 'deconflict' })
  const pages = () => shop.calls().filter((route) => route.endsWith('/comments') && route.startsWith('GET'))

  test.each<[string, [number, number], number]>([
    ['among the newest of more than a thousand', [1250, 20], 2],
    ['among the first', [3, 1250], 1],
    ['in the middle', [650, 650], 9],
    ['as the newest of a full page', [1299, 0], 2],
  ])('%s', async (_, [before, after], calls) => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    many(number, before)
    own(number)
    many(number, after)
    await shop.tell(number, 'opened')
    expect(shop.comment(number)).toContain('one other work')
    expect(creations()).toEqual([])
    expect(pages()).toHaveLength(calls)
  })

  test('and where there is none, each page is read once before one is made', async () => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    many(number, 400)
    await shop.tell(number, 'opened')
    expect(shop.comment(number)).toContain('one other work')
    expect(pages()).toHaveLength(4)
  })
})
