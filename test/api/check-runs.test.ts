/** The check run `Deconflict`: only where it is asked for, never a failure, with notes on the files that overlap (contract §10). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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

const turnOn = () => shop.write('.github/deconflict.yml', 'check_run: true\ncomment: {enabled: false}')
const head = (number: number) => shop.desk.pull(number).head.sha

test('there is none unless the settings ask for it', async () => {
  await shop.work({ risk: 'high' })
  await shop.open()
  await shop.write('.github/deconflict.yml', 'check_run: false')
  expect(shop.desk.checkRuns()).toEqual([])
})

test('it is a success on the head commit where nothing overlaps', async () => {
  await turnOn()
  const number = await shop.open()
  expect(shop.desk.checkRuns()).toMatchObject([
    {
      name: 'Deconflict',
      head_sha: head(number),
      status: 'completed',
      conclusion: 'success',
      annotations: [],
    },
  ])
})

test('it is neutral where work overlaps, however grave, with a notice on each overlapping file', async () => {
  await turnOn()
  const scope = { paths: ['src/pay.ts', 'src/till.ts'] }
  await shop.work({ title: 'Retry @ada', actor: 'Ben', risk: 'critical', blocking: true, scope })
  const number = await shop.open({ files: ['src/pay.ts', 'src/till.ts', 'README.md'] })
  const message = 'Ben works here too, in retries: Retry @ada'
  const place = { start_line: 1, end_line: 1, annotation_level: 'notice', message }
  const [run, ...more] = shop.desk.checkRuns()
  expect(more).toEqual([])
  expect(run).toMatchObject({ name: 'Deconflict', head_sha: head(number), conclusion: 'neutral' })
  expect(run?.output.title).toBe('This pull request overlaps with one other work')
  expect(run?.output.summary).toContain('| `Ben` | `Retry @ada` on `retries`')
  expect(run?.annotations).toHaveLength(2)
  expect(run?.annotations).toEqual(
    expect.arrayContaining([
      { path: 'src/pay.ts', ...place },
      { path: 'src/till.ts', ...place },
    ]),
  )
})

test('its summary is the text of the comment beside it', async () => {
  await shop.write('.github/deconflict.yml', 'check_run: true')
  await shop.work()
  const number = await shop.open()
  expect(shop.desk.checkRuns()[0]?.output.summary).toBe(shop.comment(number))
})

test('it is not reported again for the same commit and text', async () => {
  await turnOn()
  const id = await shop.work()
  const number = await shop.open()
  const before = shop.calls().length
  await shop.ask('POST', `/activity/${id}/heartbeat`)
  await shop.tell(number, 'labeled')
  await shop.pass(QUIET_MS)
  expect(shop.calls().length).toBe(before)
})

test('it is reported for a new commit, and again when an overlap comes or goes, at most once in 30 seconds', async () => {
  await turnOn()
  const number = await shop.open()
  const first = head(number)
  await shop.push(number, ['src/pay.ts'])
  const id = await shop.work()
  expect(shop.desk.checkRuns()).toHaveLength(1)
  await shop.pass(QUIET_MS)
  await shop.ask('POST', `/activity/${id}/archive`)
  await shop.pass(QUIET_MS)
  const second = head(number)
  expect(second).not.toBe(first)
  expect(shop.desk.checkRuns().map((run) => [run.head_sha, run.conclusion])).toEqual([
    [first, 'success'],
    [second, 'neutral'],
    [second, 'success'],
  ])
})

test('what is below min_severity leaves it a success', async () => {
  await shop.write('.github/deconflict.yml', 'check_run: true\ncomment: {min_severity: high}')
  await shop.work()
  await shop.open()
  expect(shop.desk.checkRuns().map((run) => run.conclusion)).toEqual(['success'])
})

test('a comment that changes alone, because it is muted, reports no second one', async () => {
  await shop.write('.github/deconflict.yml', 'check_run: true')
  await shop.work()
  const number = await shop.open()
  shop.desk.update(number, { labels: ['deconflict:mute'] })
  await shop.tell(number, { action: 'labeled', label: 'deconflict:mute' })
  await shop.pass(QUIET_MS)
  expect(shop.comment(number)).toContain('### Muted')
  expect(shop.desk.checkRuns()).toHaveLength(1)
})
