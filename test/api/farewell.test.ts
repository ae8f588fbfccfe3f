/** Leaving a repository: what the App published there says so, and nothing else is posted (docs/contract/publishing.md#leaving). */
import { beforeEach, expect, test } from 'vitest'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const { github, service, repository } = usePullRequests({ settings: 'check_run: true' })
const edit = (line: number, text: string) => editOfPay(line, [text])
const SAID =
  /^<!-- deconflict:pull-request, as of 20[^ ]+Z -->\n\nDeconflict is not watching this repository any more \(as of 20\d\d-\d\d-\d\d\)\.$/
const edits = () => repository.writes().filter((route) => route.startsWith('PATCH'))
const leave = () => repository.request('POST', '/farewell', { token: 'root' })

/** Two with a comment, of which the first is merged, and one without. */
let [merged, open] = [0, 0]
beforeEach(async () => {
  github.token('root', { login: 'root', id: 7, permissions: { [repository.full_name]: 'admin' } })
  await repository.openBranch('retries', edit(40, 'retry()'))
  merged = await repository.openBranch('tidy', edit(41, 'tidy()'))
  await repository.merge(merged)
  open = await repository.openBranch('late', edit(41, 'late()'))
  await repository.advance(QUIET_MS)
})

test('every comment and open check run says so, and nothing is posted afterwards', async () => {
  const { body } = await leave()
  expect(body).toEqual({ as_of: expect.stringMatching(/^20/), left: 3 })
  await repository.advance(0)
  expect(repository.comment(merged)).toMatch(SAID)
  expect(repository.comment(open)).toMatch(SAID)
  const runs = repository.githubRepo.checkRuns().slice(-2)
  const end = { title: expect.stringMatching(/^Deconflict is not watching/), summary: expect.any(String) }
  for (const run of runs) expect(run).toMatchObject({ conclusion: 'neutral', output: end })
  const before = repository.writes()
  await repository.push(open, [edit(40, 'again()')])
  await repository.createNotable({ importance: 'high' })
  await repository.advance(QUIET_MS)
  expect((await leave()).body).toEqual({ ...body, left: 0 })
  await repository.advance(0)
  expect(repository.writes()).toEqual(before)
  expect((await repository.request('GET', '/settings')).body).toMatchObject({
    comment: { mode: 'off' },
    sources: { 'comment.mode': 'farewell' },
  })
})

test('one edit that keeps failing holds up no other, and what was edited is not edited again', async () => {
  const [comment] = repository.githubRepo.comments(merged)
  github.fault(`PATCH /repos/${repository.full_name}/issues/comments/${comment?.id}`, 'unavailable', 2)
  const before = edits().length
  await leave()
  await service.runDueJobs()
  service.clock.advance(5000)
  await service.runDueJobs()
  expect(repository.comment(open)).toMatch(SAID)
  expect((await leave()).body.left).toBe(1)
  await repository.advance(60_000)
  expect(repository.comment(merged)).toMatch(SAID)
  expect(edits().slice(before)).toHaveLength(4)
})

test('a comment that somebody deleted is not waited for', async () => {
  repository.githubRepo.removeComment(repository.githubRepo.comments(open)[0]?.id as number)
  await leave()
  await repository.advance(0)
  expect((await leave()).body.left).toBe(0)
})

test.each([
  [
    'a changed settings file says so',
    () => repository.writeFile('.github/deconflict.yml', 'comment: {mode: on}'),
  ],
  [
    'the App is installed again',
    async () => {
      const late = installationEvent(github, repository.installation, 'deleted')
      github.state.app.installations.length = 0
      const installation = github.app.install({ repositories: [repository.full_name] })
      await service.deliverAndRun(installationEvent(github, installation, 'created'), late)
    },
  ],
])('comments show overlaps again once %s', async (_, switchOn) => {
  await leave()
  await repository.advance(QUIET_MS)
  await repository.writeFile('.github/deconflict.yml', 'comment: {budget: 1}')
  expect(repository.comment(open)).toMatch(SAID)
  await switchOn()
  await repository.advance(QUIET_MS)
  expect(repository.comment(open)).toContain('**Conflict.**')
})
