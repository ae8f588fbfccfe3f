/** The check run `Deconflict`: only if it is enabled, never a failure, with annotations on the files that overlap. */
import { beforeEach, describe, expect, test } from 'vitest'
import { editOf, editOfPay, PAY_LINES } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests()

const turnOn = () =>
  repository.writeFile('.github/deconflict.yml', 'check_run: true\ncomment: {audience: both}')
const head = (number: number) => repository.githubRepo.pull(number).head.sha

test('the check run is neutral for overlaps of any severity, with a notice on each overlapping file', async () => {
  await turnOn()
  const paths = ['src/pay.ts', 'src/till.ts']
  await repository.createActivity({ title: 'Retry @ada', risk: 'critical', blocking: true, scope: { paths } })
  const number = await repository.open({ files: [...paths, 'README.md'] })
  const notice = (path: string) => ({
    ...{ path, start_line: 1, end_line: 1, annotation_level: 'notice' },
    message: `retries works on ${path} too: Retry @ada, by Ben`,
  })
  const [run, ...more] = repository.githubRepo.checkRuns()
  expect(more).toEqual([])
  expect(run).toMatchObject({ name: 'Deconflict', head_sha: head(number), conclusion: 'neutral' })
  expect(run?.output.title).toBe('This pull request overlaps with 1 other activity')
  expect(run?.annotations).toEqual([notice('src/pay.ts'), notice('src/till.ts')])
})

test('a notice is on the lines of the head commit, under its present name', async () => {
  await turnOn()
  const inserted = Array.from({ length: 10 }, (_, at) => `import a${at}`)
  const theirs = editOfPay(40, ['retry()'])
  const edit = editOfPay(40, ['tidy()', 'twice()']).patch.replace('@@ -37,9 +37,8 @@', '@@ -37,9 +47,8 @@')
  const yours = {
    filename: 'src/till.ts',
    previous_filename: 'src/pay.ts',
    status: 'renamed',
    patch: `${editOf(PAY_LINES, 1, 0, inserted)}\n${edit}`,
  } as const
  await repository.open({ title: 'Retry', head: 'retries', author: 'ben', files: [theirs] })
  await repository.open({ head: 'tidy', author: 'cy', files: [yours] })
  const place = { path: 'src/till.ts', start_line: 50, end_line: 51 }
  const message = expect.stringContaining('#1 changes lines 40–42 of src/pay.ts too')
  expect(repository.githubRepo.checkRuns().at(-1)?.annotations).toMatchObject([{ ...place, message }])
})

test('the check run is reported for a new commit, and again when an overlap starts or ends, at most once in 30 seconds', async () => {
  await turnOn()
  const number = await repository.open()
  const first = head(number)
  await repository.push(number, ['src/pay.ts'])
  const id = await repository.createActivity()
  expect(repository.githubRepo.checkRuns()).toHaveLength(1)
  await repository.advance(QUIET_MS)
  await repository.archive(id)
  await repository.advance(QUIET_MS)
  const second = head(number)
  expect(second).not.toBe(first)
  expect(repository.githubRepo.checkRuns().map((run) => [run.head_sha, run.conclusion])).toEqual([
    [first, 'success'],
    [second, 'neutral'],
    [second, 'success'],
  ])
})

describe('comment and check run are independent', () => {
  beforeEach(() => repository.writeFile('.github/deconflict.yml', 'check_run: true'))
  const REPORT = 'POST /check-runs'

  test('a failed comment does not affect the check run', async () => {
    await repository.createActivity()
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'bad_gateway', 1)
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    await repository.deliver(number, 'opened').catch(() => {})
    expect(repository.githubRepo.checkRuns()).toHaveLength(1)
    expect(repository.comment(number)).toBeUndefined()
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
    expect(repository.githubRepo.checkRuns()).toHaveLength(1)
  })

  test('a refused check run is repeated only with other content or a new permission', async () => {
    github.app.grant(repository.installation.id, { contents: 'read', pull_requests: 'write' })
    await repository.createActivity()
    const number = await repository.open()
    expect(repository.comment(number)).toContain('Severity: ')
    const reports = () => repository.writes().filter((route) => route === REPORT)
    expect(reports()).toHaveLength(1)
    await repository.deliver(number, 'labeled')
    await repository.advance(QUIET_MS)
    expect(reports()).toHaveLength(1)
    await repository.push(number, ['src/pay.ts', 'README.md'])
    await repository.advance(QUIET_MS)
    expect(reports()).toHaveLength(2)
    const { permissions } = github.state.app
    github.app.grant(repository.installation.id, permissions)
    await service.deliverAndRun(
      installationEvent(github, repository.installation, 'new_permissions_accepted'),
    )
    await repository.advance(QUIET_MS)
    expect(repository.githubRepo.checkRuns()).toHaveLength(1)
  })

  test('a refused check run for the settings file causes no failure and is not repeated', async () => {
    github.app.grant(repository.installation.id, { contents: 'read', pull_requests: 'write' })
    await repository.writeFile('.github/deconflict.yml', 'check_run: perhaps')
    await repository.advance(QUIET_MS)
    expect(repository.writes()).toEqual([REPORT])
    expect((await repository.request('GET', '/settings')).body).toMatchObject({
      check_run: true,
      errors: [{}],
    })
  })
})
