/** The check run `Deconflict`: only where it is asked for, never a failure, with notes on the files that overlap (contract §10). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, type Shop, startToldService, type ToldService } from '../support/told-service.ts'
import { installationEvent } from '../support/webhooks.ts'

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

test('what is below min_severity leaves it a success, and is named', async () => {
  await shop.write('.github/deconflict.yml', 'check_run: true\ncomment: {min_severity: high}')
  await shop.work()
  const number = await shop.open()
  const [run, ...more] = shop.desk.checkRuns()
  expect(more).toEqual([])
  expect(run).toMatchObject({ conclusion: 'success', output: { title: 'Overlap below the threshold' } })
  expect(run?.output.summary).toContain('`Retry payments` on `retries`')
  expect(shop.comment(number)).toBeUndefined()
})

test('a success says with how much it was compared, and is not reported again when that changes alone', async () => {
  await turnOn()
  await shop.work({ branch: 'aside', scope: { paths: ['docs/**'] } })
  await shop.note({ scope: { paths: ['docs/**'] } })
  const number = await shop.open()
  expect(shop.desk.checkRuns()[0]?.output).toMatchObject({
    title: 'No overlap',
    summary: expect.stringContaining('1 other live activity and 1 active notable'),
  })
  await shop.pass(QUIET_MS)
  await shop.note({ scope: { paths: ['docs/**'] } })
  await shop.tell(number, 'labeled')
  await shop.pass(QUIET_MS)
  expect(shop.desk.checkRuns()).toHaveLength(1)
})

test.each<[string, string, () => Promise<unknown>, string]>([
  ['nothing is tracked', 'track_pull_requests: false', () => shop.open(), '(`track_pull_requests`)'],
  ['all files are ignored', 'ignore_paths: [src/**]', () => shop.open(), '(`ignore_paths`)'],
  ['it changes none', '', () => shop.open({ files: [] }), 'neither paths nor areas'],
])('where %s it is no success', async (_, settings, open, words) => {
  await shop.write('.github/deconflict.yml', `check_run: true\n${settings}`)
  await shop.work()
  await open()
  expect(shop.desk.checkRuns()).toMatchObject([
    {
      conclusion: 'neutral',
      output: { title: 'Not compared', summary: expect.stringContaining(words) },
    },
  ])
})

describe('there is none where nobody wants to be told', () => {
  const BOT = { login: 'renovate[bot]', type: 'Bot' as const }
  const MUTE = 'deconflict:mute'

  test('on the pull request of a bot, unless comments are wanted there', async () => {
    await shop.write('.github/deconflict.yml', 'check_run: true')
    await shop.work()
    await shop.open({ author: BOT })
    expect(shop.desk.checkRuns()).toEqual([])
    await shop.write('.github/deconflict.yml', 'check_run: true\ncomment_on_bots: true')
    expect(shop.desk.checkRuns()).toHaveLength(1)
  })

  test('on a muted one, until the label is taken off', async () => {
    await turnOn()
    const number = await shop.open({ labels: [MUTE] })
    await shop.work()
    await shop.pass(QUIET_MS)
    expect(shop.desk.checkRuns()).toEqual([])
    shop.desk.update(number, { labels: [] })
    await shop.tell(number, { action: 'unlabeled', label: MUTE })
    expect(shop.desk.checkRuns().map((run) => run.conclusion)).toEqual(['neutral'])
  })
})

describe('neither waits for the other', () => {
  beforeEach(() => shop.write('.github/deconflict.yml', 'check_run: true'))
  const REPORT = 'POST /check-runs'

  test('a comment that GitHub fails to take leaves the check run as it is', async () => {
    await shop.work()
    github.fault(`POST /repos/${shop.full_name}/issues/*`, 'bad_gateway', 1)
    const number = shop.desk.open({ files: ['src/pay.ts'] }).number
    await shop.tell(number, 'opened').catch(() => {})
    expect(shop.desk.checkRuns()).toHaveLength(1)
    expect(shop.comment(number)).toBeUndefined()
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('one other work')
    expect(shop.desk.checkRuns()).toHaveLength(1)
  })

  test('a comment that GitHub refuses does, too', async () => {
    await shop.work()
    await shop.open({ locked: true })
    expect(shop.desk.checkRuns().map((run) => run.conclusion)).toEqual(['neutral'])
  })

  test('a check run that GitHub refuses is not reported again before there is another, or a new permission', async () => {
    github.app.grant(shop.installation.id, { contents: 'read', pull_requests: 'write' })
    await shop.work()
    const number = await shop.open()
    expect(shop.comment(number)).toContain('one other work')
    const reports = () => shop.writes().filter((route) => route === REPORT)
    expect(reports()).toHaveLength(1)
    await shop.tell(number, 'labeled')
    await shop.pass(QUIET_MS)
    expect(reports()).toHaveLength(1)
    await shop.push(number, ['src/pay.ts', 'README.md'])
    await shop.pass(QUIET_MS)
    expect(reports()).toHaveLength(2)
    const { permissions } = github.state.app
    github.app.grant(shop.installation.id, permissions)
    await told.service.play(installationEvent(github, shop.installation, 'new_permissions_accepted'))
    await shop.pass(QUIET_MS)
    expect(shop.desk.checkRuns()).toHaveLength(1)
  })

  test('one that GitHub refuses for the settings file fails nothing, and is not repeated', async () => {
    github.app.grant(shop.installation.id, { contents: 'read', pull_requests: 'write' })
    await shop.write('.github/deconflict.yml', 'check_run: perhaps')
    await shop.pass(QUIET_MS)
    expect(shop.writes()).toEqual([REPORT])
    expect((await shop.ask('GET', '/settings')).body).toMatchObject({ check_run: true, errors: [{}] })
  })
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
