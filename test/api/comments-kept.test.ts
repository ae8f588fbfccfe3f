/** That a pull request keeps one comment, edited in place and seldom, whatever else stands there (contract §10). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, type Shop, startToldService, type ToldService } from '../support/told-service.ts'

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
  await told.service.close()
  github.close()
})

const MARKER = '<!-- deconflict:pull-request -->'
const MUTE = 'deconflict:mute'
const CREATED = expect.stringMatching(/^POST \/issues\/\d+\/comments$/)
const EDITED = expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)
const GONE = /^### No overlap any more$/m
const archive = (id: string) => shop.ask('POST', `/activity/${id}/archive`)

describe('one comment, ever', () => {
  test('an overlap that goes, comes back and goes again is told in the same comment', async () => {
    let id = await shop.work()
    const number = await shop.open()
    const [first] = shop.desk.comments(number)
    for (const _ of [1, 2]) {
      await archive(id)
      await shop.pass(QUIET_MS)
      expect(shop.comment(number)).toMatch(GONE)
      id = await shop.work()
      await shop.pass(QUIET_MS)
      expect(shop.comment(number)).toContain('one other work')
    }
    expect(shop.desk.comments(number).map((comment) => comment.id)).toEqual([first?.id])
    expect(shop.writes()).toEqual([CREATED, EDITED, EDITED, EDITED, EDITED])
  })

  test('nothing is asked of GitHub when the text would not change', async () => {
    const id = await shop.work()
    const number = await shop.open()
    const before = shop.calls().length
    await shop.ask('POST', `/activity/${id}/heartbeat`)
    await shop.ask('PATCH', `/activity/${id}`, { body: { summary: 'Retries three times.' } })
    await shop.pass(QUIET_MS)
    await shop.tell(number, 'labeled')
    await shop.work({ branch: 'aside', scope: { paths: ['docs/**'] } })
    await shop.pass(QUIET_MS)
    expect(shop.calls().length).toBe(before)
  })

  test('only a comment that this app wrote counts as its own, not one that quotes it', async () => {
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    const quoting = [
      shop.desk.comment(number, { author: 'mallory', body: `${MARKER}\n\nHa!` }),
      shop.desk.comment(number, { author: 'deconflict[bot]', body: MARKER }),
      shop.desk.comment(number, { author: 'other[bot]', body: `${MARKER}\n`, app: 'other' }),
    ].map(({ id, body }) => ({ id, body }))
    await shop.work()
    await shop.tell(number, 'opened')
    expect(shop.comment(number)).toContain('one other work')
    await shop.pass(QUIET_MS)
    await shop.work({ branch: 'more' })
    expect(shop.comment(number)).toContain('2 other works')
    expect(shop.writes()).toEqual([CREATED, EDITED])
    expect(shop.desk.comments(number).slice(0, 3)).toMatchObject(quoting)
  })

  test('one that a crash made it forget is found again, on whatever page it stands', async () => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    for (let count = 0; count < 120; count += 1) shop.desk.comment(number, { author: 'ben', body: 'Hm.' })
    shop.desk.comment(number, { author: 'deconflict[bot]', body: `${MARKER}\n\nOld`, app: 'deconflict' })
    await shop.tell(number, 'opened')
    expect(shop.comment(number)).toContain('one other work')
    expect(shop.writes()).toEqual([EDITED])
  })

  test('one that somebody deleted is not made again', async () => {
    await shop.work()
    const number = await shop.open()
    for (const { id } of shop.desk.comments(number)) shop.desk.removeComment(id)
    for (const branch of ['b', 'c']) {
      await shop.pass(QUIET_MS)
      await shop.work({ branch })
    }
    expect(shop.desk.comments(number)).toEqual([])
    expect(shop.writes()).toEqual([CREATED, EDITED, EDITED])
  })

  test('one that GitHub failed to take is made once it takes it', async () => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'bad_gateway', 1)
    await shop.tell(number, 'opened').catch(() => {})
    expect(shop.desk.comments(number)).toEqual([])
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
  })

  test('one of which GitHub lost the answer is not made twice', async () => {
    await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'lost', 1)
    await shop.tell(number, 'opened').catch(() => {})
    await shop.pass(QUIET_MS)
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
    expect(shop.writes().filter((route) => route.startsWith('POST'))).toHaveLength(1)
  })

  test('one of which GitHub lost the answer does not stand there when what it tells of is gone', async () => {
    const id = await shop.work()
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'lost', 1)
    await shop.tell(number, 'opened').catch(() => {})
    await archive(id)
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toMatch(GONE)
    expect(shop.desk.comments(number)).toHaveLength(1)
  })
})

describe('at most once in 30 seconds', () => {
  test('what changes meanwhile is told with one edit', async () => {
    await shop.work()
    const number = await shop.open()
    for (const branch of ['b', 'c', 'd', 'e']) {
      await shop.work({ branch })
      await shop.pass(QUIET_MS / 10)
    }
    expect(shop.writes()).toEqual([CREATED])
    expect(shop.comment(number)).toContain('one other work')
    await shop.pass(QUIET_MS / 2)
    expect(shop.writes()).toEqual([CREATED])
    await shop.pass(QUIET_MS / 10)
    expect(shop.comment(number)).toContain('5 other works')
    expect(shop.writes()).toEqual([CREATED, EDITED])
  })

  test('what comes and goes within them is not told at all', async () => {
    await shop.work()
    await shop.open()
    await archive(await shop.work({ branch: 'brief' }))
    await shop.pass(2 * QUIET_MS)
    expect(shop.writes()).toEqual([CREATED])
  })
})

describe('the label deconflict:mute', () => {
  const label = async (number: number, isOn: boolean) => {
    shop.desk.update(number, { labels: isOn ? ['bug', MUTE] : ['bug'] })
    await shop.tell(number, { action: isOn ? 'labeled' : 'unlabeled', label: MUTE })
    await shop.pass(QUIET_MS)
  }

  test('mutes a pull request, and taking it off brings the comment back', async () => {
    await shop.work()
    const number = await shop.open()
    await label(number, true)
    expect(shop.comment(number)).toMatch(/^### Muted$/m)
    await shop.work({ branch: 'more' })
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toMatch(/^### Muted$/m)
    await label(number, false)
    expect(shop.comment(number)).toContain('2 other works')
    expect(shop.writes()).toEqual([CREATED, EDITED, EDITED])
  })

  test('keeps a comment from being made, until it is taken off', async () => {
    const number = await shop.open({ labels: [MUTE] })
    await shop.work({ risk: 'high' })
    await shop.pass(QUIET_MS)
    expect(shop.writes()).toEqual([])
    await label(number, false)
    expect(shop.comment(number)).toContain('one other work')
  })

  test('other labels change nothing', async () => {
    await shop.work()
    const number = await shop.open()
    shop.desk.update(number, { labels: ['deconflict', 'mute'] })
    await shop.tell(number, { action: 'labeled', label: 'mute' })
    await shop.pass(QUIET_MS)
    expect(shop.writes()).toEqual([CREATED])
  })
})

describe('several activities of one branch, or of one pull request, are one row', () => {
  const rows = (number: number) => shop.comment(number)?.match(/^\| `.*$/gm)

  test('of one branch', async () => {
    await shop.work({ title: 'One', scope: { paths: ['src/pay.ts'] } })
    await shop.work({ title: 'Two', scope: { paths: ['src/till.ts'] } })
    const number = await shop.open({ files: ['src/pay.ts', 'src/till.ts'] })
    expect(rows(number)).toHaveLength(1)
    expect(rows(number)?.[0]).toMatch(/`src\/(pay|till)\.ts`<br>`src\/(pay|till)\.ts`/)
  })

  test('of one pull request, what was declared on its branch since included', async () => {
    await shop.work({ title: 'One' })
    await shop.work({ title: 'Two' })
    const other = await shop.open({ head: 'retries', files: [], draft: true })
    await shop.work({ title: 'Three', risk: 'high' })
    const number = await shop.open({ head: 'tidy' })
    expect(rows(number)).toEqual([expect.stringContaining(`[#${other}](`)])
    expect(rows(number)?.[0]).toContain('| high |')
  })
})
