/** The settings file of a repository: when it is read and which version holds, the effect of an invalid file, and that settings apply at once. */
import { describe, expect, test } from 'vitest'
import { findRepository } from '../../src/server/records/repositories/store.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { pushEvent, repositoryEvent } from '../support/webhooks.ts'

const SETTINGS = '.github/deconflict.yml'
const ATTRIBUTES = '.gitattributes'
const LABELER = '.github/labeler.yml'

const { service, github, repository } = usePullRequests()

const stored = () => findRepository(service.db, repository.id)
const shown = async () => (await repository.request('GET', '/settings')).body
const reads = () => repository.calls().filter((route) => route.includes('/contents/'))
const READS = [SETTINGS, ATTRIBUTES].map((path) => `GET /contents/${path}`)
const overlaps = async (body: object) => {
  const answer = await repository.request('POST', '/activity/check', { body })
  expect(answer.status).toBe(200)
  return answer.body.overlap_detected
}

describe('the file is read on the first request to a repository', () => {
  test('by REST, once, but not for read access, which costs no App call', async () => {
    github.token('rae', { login: 'rae', id: 2, permissions: { [repository.full_name]: 'read' } })
    const read = async () => (await repository.request('GET', '/settings', { token: 'rae' })).body
    const appCalls = () =>
      github.requests().filter(({ token, route }) => token !== 'rae' && route.includes(repository.full_name))
    repository.githubRepo.write(SETTINGS, 'activity_ttl_ms: 5000\nareas: {pay: [src/**]}')
    for (const _ of [1, 2, 3]) expect(await read()).toMatchObject({ source: 'defaults' })
    await service.runDueJobs()
    expect(appCalls()).toEqual([])
    expect(await findRepository(service.db, repository.id)).toBeUndefined()
    const settings = { source: 'file', errors: [], activity_ttl_ms: 5000, notable_ttl_ms: 604_800_000 }
    for (const ask of [shown, read])
      expect(await ask()).toMatchObject({ ...settings, areas: { pay: ['src/**'] } })
    expect(reads()).toEqual(READS)
  })

  test.each(['installation', 'contents/*'])(
    'by REST, or by a job soon after GitHub failed at %s',
    async (path) => {
      repository.githubRepo.write(SETTINGS, 'activity_ttl_ms: 5000')
      github.fault(`GET /repos/${repository.full_name}/${path}`, 'bad_gateway', 1)
      await shown()
      await service.runDueJobs()
      expect(await shown()).toMatchObject({ source: 'file', activity_ttl_ms: 5000 })
    },
  )
})

describe('a push refreshes the settings', () => {
  test('if it changes or deletes the file on the default branch', async () => {
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 5000')
    expect((await shown()).activity_ttl_ms).toBe(5000)
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 6000')
    expect((await shown()).activity_ttl_ms).toBe(6000)
    await repository.writeFile(SETTINGS, null)
    expect(await shown()).toMatchObject({ source: 'defaults', activity_ttl_ms: 86_400_000 })
  })

  test('but not if it is to another branch or without the file', async () => {
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 5000')
    const before = reads().length
    const push = repository.githubRepo.push('topic', { [SETTINGS]: 'activity_ttl_ms: 6000' })
    await repository.deliverPush({ ...push, modified: [SETTINGS] })
    await repository.writeFile('src/pay.ts', 'pay()')
    expect((await shown()).activity_ttl_ms).toBe(5000)
    expect(reads()).toHaveLength(before)
  })

  test('if it is forced, which may change any file', async () => {
    await shown()
    const push = repository.githubRepo.write(SETTINGS, 'activity_ttl_ms: 6000')
    await repository.deliverPush({ ...push, forced: true })
    expect((await shown()).activity_ttl_ms).toBe(6000)
  })

  test('if GitHub does not list all of its commits', async () => {
    await shown()
    const push = repository.githubRepo.write(SETTINGS, 'activity_ttl_ms: 6000')
    const { event, payload } = pushEvent(github, repository.full_name, { ...push, modified: ['src/pay.ts'] })
    const [commit] = payload.commits as object[]
    const pushOf = (count: number) => ({ event, payload: { ...payload, commits: Array(count).fill(commit) } })
    await service.deliverAndRun(pushOf(2047))
    expect((await shown()).activity_ttl_ms).toBe(86_400_000)
    await service.deliverAndRun(pushOf(2048))
    expect((await shown()).activity_ttl_ms).toBe(6000)
  })
})

/** Writes the file on GitHub; returns the event of the push, `at` this second. */
const pushed = (text: string | null, at: number) => {
  const push = repository.githubRepo.write(SETTINGS, text)
  const event = pushEvent(github, repository.full_name, { ...push, modified: [SETTINGS] })
  Object.assign(event.payload.repository as object, { pushed_at: at })
  return event
}

describe('after a push, whatever the order of deliveries,', () => {
  test('the file of its commit holds, although the branch has gone on', async () => {
    const first = pushed('activity_ttl_ms: 5000', 1)
    const second = pushed('activity_ttl_ms: 6000', 2)
    await service.deliverAndRun(first)
    expect((await shown()).activity_ttl_ms).toBe(5000)
    await service.deliverAndRun(second)
    expect((await shown()).activity_ttl_ms).toBe(6000)
  })

  test.each([
    ['a second later', 'activity_ttl_ms: 6000', 2, 6000],
    ['in the same second', 'activity_ttl_ms: 6000', 1, 6000],
    ['that deletes the file', null, 2, 86_400_000],
  ])('an earlier one that arrives after one %s changes nothing', async (_, text, at, expected) => {
    const first = pushed('activity_ttl_ms: 5000', 1)
    const second = pushed(text, at)
    await service.deliverAndRun(second, first)
    expect((await shown()).activity_ttl_ms).toBe(expected)
  })

  test('whose commit GitHub does not have any more, the default branch holds', async () => {
    const event = pushed('activity_ttl_ms: 5000', 1)
    await service.deliverAndRun({ ...event, payload: { ...event.payload, after: 'f'.repeat(40) } })
    expect((await shown()).activity_ttl_ms).toBe(5000)
  })
})

test('every hour, a missed change back to what the last hour found is found', async () => {
  await repository.writeFile(SETTINGS, 'activity_ttl_ms: 50000000')
  await service.enqueueFirstJobs()
  await repository.advance(3_600_000)
  await repository.writeFile(SETTINGS, 'activity_ttl_ms: 60000000')
  repository.githubRepo.write(SETTINGS, 'activity_ttl_ms: 50000000')
  await repository.advance(3_600_000)
  expect((await shown()).activity_ttl_ms).toBe(50_000_000)
})

test.each([
  [SETTINGS, 'activity_ttl_ms: 6000', { settings: { activity_ttl_ms: 6000 } }],
  [LABELER, 'tills: [src/till/**]', { labeler_areas: { tills: ['src/till/**'] } }],
  [ATTRIBUTES, 'gen/* linguist-generated', { noise_attributes: [{ glob: 'gen/*' }] }],
])('every hour, a missed change of %s is found', async (path, text, says) => {
  await repository.writeFile(SETTINGS, 'activity_ttl_ms: 50000000')
  await service.enqueueFirstJobs()
  await repository.advance(3_600_000)
  repository.githubRepo.write(path, text)
  await repository.advance(3_600_000)
  expect(await stored()).toMatchObject(says)
})

test('another default branch has its own settings file, which applies to comments too', async () => {
  await repository.writeFile(SETTINGS, 'activity_ttl_ms: 5000')
  await repository.createActivity({ risk: 'high', scope: { areas: ['payments'] } })
  const number = await repository.open()
  repository.githubRepo.push('trunk', { [SETTINGS]: 'areas: {payments: [src/**]}' })
  repository.githubRepo.repository.default_branch = 'trunk'
  await service.deliverAndRun(repositoryEvent(github, repository.full_name, 'edited'))
  expect(await shown()).toMatchObject({ activity_ttl_ms: 86_400_000, areas: { payments: ['src/**'] } })
  expect(repository.comment(number)).toContain('Severity: ')
})

describe('an invalid file', () => {
  test('keeps the last valid values and reports line, key and problem', async () => {
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 5000\n')
    await repository.writeFile(
      SETTINGS,
      'activity_ttl_ms: 6000\ncomment:\n  min_severity: loud\nchek_run: true\n',
    )
    const view = await shown()
    expect(view).toMatchObject({ source: 'file', activity_ttl_ms: 5000 })
    expect(view.errors).toEqual(
      expect.arrayContaining([
        { line: 3, key: 'comment.min_severity', message: expect.any(String) },
        { line: 4, key: 'chek_run', message: expect.stringContaining('check_run') },
      ]),
    )
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: 7000\n')
    expect(await shown()).toMatchObject({ activity_ttl_ms: 7000, errors: [] })
  })

  test('keeps everything unposted while no valid one was read, and says so', async () => {
    await repository.writeFile(SETTINGS, 'comment: {min_severity: loud}\n')
    const view = await shown()
    expect(view.comment.mode).toBe('shadow')
    expect(view.sources['comment.mode']).toBe('repository')
    expect(repository.githubRepo.checkRuns()[0]?.output.title).toContain(
      'nothing is posted until it is valid',
    )
    await repository.writeFile(SETTINGS, 'comment: {min_severity: high}\n')
    expect((await shown()).comment.mode).toBe('on')
  })

  test.each(['shadow', 'off'])('is not reported by a check run in mode %s', async (mode) => {
    await repository.writeFile(SETTINGS, `comment: {mode: ${mode}}\n`)
    await repository.writeFile(SETTINGS, 'activity_ttl_ms: soon\n')
    expect(await shown()).toMatchObject({ comment: { mode }, errors: [{ key: 'activity_ttl_ms' }] })
    expect(repository.githubRepo.checkRuns()).toEqual([])
  })

  test('is reported by a neutral check run on its commit, even if check runs are off', async () => {
    const good = await repository.writeFile(SETTINGS, 'activity_ttl_ms: 5000')
    const bad = await repository.writeFile(SETTINGS, 'check_run: false\nactivity_ttl_ms: soon\n')
    expect(good).not.toBe(bad)
    const run = { name: 'Deconflict', head_sha: bad, status: 'completed', conclusion: 'neutral' }
    const annotations = [{ path: SETTINGS, start_line: 2, end_line: 2 }]
    expect(repository.githubRepo.checkRuns()).toMatchObject([{ ...run, annotations }])
  })
})

describe('noise', () => {
  const noisy = { scope: { paths: ['testdata/a.txt'] } }

  test('follows .gitattributes, refreshed by a push that changes it', async () => {
    repository.githubRepo.write(ATTRIBUTES, '*.ts text\ntestdata/** linguist-generated\n')
    await repository.createActivity(noisy)
    expect(await overlaps(noisy)).toBe(false)
    await repository.writeFile(ATTRIBUTES, '*.ts text\n')
    expect(await overlaps(noisy)).toBe(true)
    await repository.writeFile(ATTRIBUTES, 'testdata/** linguist-vendored\n')
    expect(await overlaps(noisy)).toBe(false)
    await repository.writeFile(ATTRIBUTES, null)
    expect(await overlaps(noisy)).toBe(true)
  })

  // Threat: A hostile `.gitattributes`
  test('is all that is stored of .gitattributes', async () => {
    await repository.writeFile(
      ATTRIBUTES,
      '# of Ada\n*.ts text eol=lf\ngen/*.go linguist-generated diff=go\n',
    )
    expect((await stored())?.noise_attributes).toEqual([{ glob: 'gen/*.go', says: { generated: true } }])
  })
})

describe('areas come from labeler.yml', () => {
  test('without a settings file, refreshed by a push that changes it', async () => {
    repository.githubRepo.write(
      LABELER,
      'payments:\n  - changed-files:\n      - any-glob-to-any-file: src/pay*\n',
    )
    expect((await shown()).areas).toEqual({ payments: ['src/pay*'] })
    await repository.writeFile(LABELER, 'tills: [src/till/**]\n')
    expect((await shown()).areas).toEqual({ tills: ['src/till/**'] })
    await repository.createActivity({ scope: { areas: ['tills'] } })
    expect(await overlaps({ scope: { paths: ['src/till/a.ts'] } })).toBe(true)
    await repository.writeFile(LABELER, null)
    expect((await shown()).areas).toEqual({})
  })

  test.each([
    ['some', 'areas: {payments: [src/pay*]}', { payments: ['src/pay*'] }],
    ['none on purpose', 'areas: {}', {}],
  ])('not when it defines %s', async (_, text, areas) => {
    repository.githubRepo.write(LABELER, 'tills: [src/till/**]\n')
    await repository.writeFile(SETTINGS, text)
    expect((await shown()).areas).toEqual(areas)
    expect(reads().some((route) => route.includes('labeler'))).toBe(false)
  })
})
