/** `GET …/why`: which overlaps of a pull request a comment shows, and what decided about the others. */
import { beforeEach, expect, test } from 'vitest'
import { editOfPay } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { forTest } from '../support/use-started.ts'
import { commentEvent } from '../support/webhooks.ts'
import { workingTree } from '../support/working-tree.ts'

const { service, github, repository } = usePullRequests()

let [first, second] = [0, 0]
beforeEach(async () => {
  first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
})
const why = async (number: number) => (await repository.request('GET', `/why?pull_request=${number}`)).body

test('the side that came later shows the conflict, and the other one does not, because of the audience', async () => {
  expect(await why(second)).toMatchObject({
    is_commented: true,
    pairs: [{ consequence: 'conflict', severity: 'high', is_shown: true, reason: null, decided_by: null }],
  })
  const work = { title: 'Edit in tidy', actor: 'author-of-tidy', is_shown: false }
  const why_not = { reason: 'other_side', decided_by: 'comment.audience: later' }
  expect(await why(first)).toMatchObject({ is_commented: false, pairs: [{ ...work, ...why_not }] })
})

test.each([
  ['comment: {mode: shadow}', 'shadow', 'comment.mode: shadow'],
  ['comment: {bots: [author-of-retries]}', 'bot', 'login: author-of-retries'],
])('with %s it is not shown', async (settings, reason, decided_by) => {
  await repository.writeFile('.github/deconflict.yml', settings)
  expect((await why(second)).pairs).toMatchObject([{ is_shown: false, reason, decided_by }])
})

test('what the comment only counts is over the budget of the comment', async () => {
  for (const head of ['a', 'b', 'c']) await repository.openBranch(head, editOfPay(40, [head]))
  const last = await repository.openBranch('last', editOfPay(41, ['last()']))
  const { pairs } = await why(last)
  const shown = pairs.map(({ is_shown }: { is_shown: boolean }) => is_shown)
  expect(shown).toEqual([true, true, true, false, false])
  expect(pairs[4]).toMatchObject({ reason: 'over_budget', decided_by: 'named in a comment: 3' })
})

test('both are named that mute a pull request', async () => {
  repository.githubRepo.update(second, { labels: ['deconflict:mute'] })
  await repository.deliver(second, { action: 'labeled' })
  const mute = { id: 9, action: 'created', body: '/deconflict mute', login: 'author-of-tidy' } as const
  await service.deliverAndRun(commentEvent(github, repository.full_name, second, mute))
  const decided_by = 'deconflict:mute, /deconflict mute'
  expect((await why(second)).pairs).toMatchObject([{ is_shown: false, reason: 'muted', decided_by }])
})

test('blocking work that came after the last event makes no first comment', async () => {
  await repository.close(second)
  await repository.advance(60_000)
  const freeze = { branch: 'freeze', blocking: true, scope: { paths: ['src/**'] } }
  const activity_id = await repository.createActivity(freeze)
  const decided_by = expect.stringMatching(/^last event: 20/)
  const unshown = { activity_id, is_shown: false, reason: 'no_event', decided_by }
  expect(await why(first)).toMatchObject({ is_commented: false, pairs: [unshown] })
})

test('work for another base branch is named, and was not compared', async () => {
  const files = [editOfPay(41, ['back()'])]
  const backport = await repository.open({ head: 'backport', author: 'cy', base: 'release', files })
  expect((await why(backport)).pairs).toMatchObject([
    { consequence: null, reason: 'other_base', decided_by: 'base_branch: release' },
    { consequence: null, reason: 'other_base' },
  ])
})

test('the command says it in one line for each pair', async () => {
  const tree = await forTest(workingTree({ DECONFLICT_URL: service.url, GITHUB_TOKEN: 'ada' }))
  const { code, stdout } = await tree.run(['why', `#${first}`, '--repo', repository.full_name])
  expect(stdout).toContain(`#${first} has no comment.\n`)
  expect(stdout).toMatch(
    /^conflict, high {2}#\d+ {2}Edit in tidy {2}by author-of-tidy {2}not shown: shown only/m,
  )
  expect(code).toBe(0)
})

test('a pull request that is not open is not found', async () => {
  expect((await repository.request('GET', '/why?pull_request=99')).status).toBe(404)
})
