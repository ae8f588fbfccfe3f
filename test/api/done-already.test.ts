/** Work that a merged pull request has done already (docs/contract/issues.md#done-already). */
import { describe, expect, test } from 'vitest'
import type { PullGiven } from '../support/github-repository.ts'
import type { PullFile } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const { repository } = usePullRequests()

/** A new file with these lines. */
const adds = (lines: readonly string[], filename = 'src/retry.ts'): PullFile => ({
  filename,
  status: 'added',
  patch: [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n'),
})
/** A deleted file with these lines. */
const removes = (lines: readonly string[], filename = 'src/retry.ts'): PullFile => ({
  filename,
  status: 'removed',
  patch: [`@@ -1,${lines.length} +0,0 @@`, ...lines.map((line) => `-${line}`)].join('\n'),
})
const linesOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `  ${name}.retryPayment(${at})`)
const RETRY = linesOf('till', 12)
/** Eleven of those lines and one other. */
const NEARLY = [...RETRY.slice(0, 11), '  till.countRetries()']
const open = (head: string, files: PullFile[], pull: PullGiven = {}) =>
  repository.open({ head, title: head, files, ...pull })
const merge = async (number: number, merged = repository.githubRepo.merge) => {
  merged(number)
  await repository.deliver(number, 'closed')
  await repository.advance(2 * QUIET_MS)
}
/** Merges by one new commit, so that the branch is no part of the base branch. */
const squash = (number: number) => {
  const pull = repository.githubRepo.close(number)
  const merge_commit_sha = repository.githubRepo.push('main').after
  return Object.assign(pull, { merged_at: pull.closed_at, merge_commit_sha })
}
/** Pushes a commit on top of `onto` to a branch. */
const pushCommit = async (branch: string, onto: string) => {
  await repository.deliverPush({ ...repository.githubRepo.push(branch, {}, onto), commits: [onto] })
}
const openMerged = async (head: string, files: PullFile[], pull: PullGiven = {}) => {
  const number = await open(head, files, pull)
  await merge(number)
  return number
}
const linkTo = (number: number) => repository.comment(number)?.replace(/\[`(#\d+)`\]\([^)]*\)/g, '$1')
/** The merged pull requests that a check names. */
const doneBy = async (files: PullFile[], given: object = {}) => {
  const changes = files.map(({ filename, status, patch }) => ({ path: filename, status, patch }))
  const body = { scope: { changes }, ...given }
  const { reuse_opportunities } = (await repository.request('POST', '/activity/check', { body })).body
  return reuse_opportunities.filter(({ type }: { type: string }) => type === 'merged')
}
const DONE = 'is merged and has'

describe('a pull request with most of the lines of a merged one', () => {
  test('that is opened after the merge gets one comment', async () => {
    const merged = await openMerged('retry', [adds(RETRY)])
    const again = await open('again', [adds(NEARLY, 'src/payments.ts')])
    expect(linkTo(again)).toContain(`**#${merged} is merged and has 11 of the 12 lines that this adds.**`)
    expect(repository.comment(again)).toContain('Severity: high')
    expect(repository.comment(merged)).toBeUndefined()
    const why = await repository.request('GET', `/why?pull_request=${again}`)
    const pr_url = `https://github.com/${repository.full_name}/pull/${merged}`
    expect(why.body).toMatchObject({
      is_commented: true,
      pairs: [{ activity_id: null, pr_url, consequence: 'same_work', is_shown: true, reason: null }],
    })
    const [activity] = await repository.list('?branch=again')
    const { overlap } = await repository.read(activity.id)
    expect(overlap).toMatchObject({
      ...{ overlap_detected: true, severity: 'high', related_activity_ids: [] },
      matches: [{ id: `#${merged}`, consequence: 'same_work', findings: [{ kind: 'done' }] }],
    })
  })

  test('that the merged one contains, because it was built on top of it', async () => {
    const lower = await open('lower', [adds(RETRY)])
    await pushCommit('upper', repository.githubRepo.pull(lower).head.sha)
    const upper = await open('upper', [adds(RETRY), adds(linesOf('upper', 2), 'src/upper.ts')])
    await merge(upper, squash)
    expect(linkTo(lower)).toContain(`#${upper} is merged and has 12 of the 12 lines`)
  })

  test('that the merged one repeats, because it was opened again with the same commit', async () => {
    const [first, again] = [await open('first', [adds(RETRY)]), await open('again', [adds(RETRY)])]
    const { sha } = repository.githubRepo.pull(first).head
    repository.githubRepo.pull(again).head.sha = sha
    for (const branch of ['first', 'again']) {
      const push = { ref: `refs/heads/${branch}`, before: '0'.repeat(40), after: sha, commits: [sha] }
      await repository.deliverPush(push)
    }
    await repository.deliver(again, 'synchronize')
    await merge(again, squash)
    expect(linkTo(first)).toContain(`#${again} is merged and has 12 of the 12 lines`)
  })

  test('hears of the one with the most lines only', async () => {
    await openMerged('part', [adds(RETRY.slice(0, 10), 'src/part.ts')])
    const most = await openMerged('most', [adds(RETRY, 'src/most.ts')])
    const again = await open('again', [adds(RETRY, 'src/again.ts')])
    expect(linkTo(again)?.match(/#\d+ is merged/g)).toEqual([`#${most} is merged`])
  })
})

describe('nothing is said', () => {
  const expectNothing = async (files: PullFile[], pull: PullGiven = {}) => {
    const again = await open('again', files, pull)
    expect(repository.comment(again) ?? '').not.toContain(DONE)
  }

  test('of work for another base branch, such as a backport', async () => {
    await openMerged('retry', [adds(RETRY)])
    await expectNothing([adds(RETRY)], { base: 'release-1' })
    expect(await doneBy([adds(RETRY)], { base_branch: 'release-1' })).toEqual([])
  })

  test('of a revert', async () => {
    await openMerged('retry', [adds(RETRY)])
    await openMerged('rewrite', [removes(RETRY), adds(linesOf('rewritten', 12), 'src/rewritten.ts')])
    const revert = [removes(linesOf('rewritten', 12), 'src/rewritten.ts'), adds(RETRY)]
    await expectNothing(revert)
  })

  test('of work that a pushed commit took back', async () => {
    const merged = await openMerged('retry', [adds(RETRY)])
    const changes = [{ path: 'src/retry.ts', status: 'added', patch: adds(RETRY).patch }]
    const id = await repository.createActivity({ scope: { changes } })
    const { headers } = await repository.request('GET', `/activity/${id}`)
    const message = `Revert "Retry payments (#${merged})"`
    await repository.deliverPush({ ...repository.githubRepo.push('main'), message })
    expect(await doneBy([adds(RETRY)])).toEqual([])
    const known = { 'If-None-Match': headers.get('etag') as string }
    expect((await repository.request('GET', `/activity/${id}`, { headers: known })).status).toBe(200)
  })

  test('of a stack whose parts were changed after it had left them, and were squashed one after the other', async () => {
    const bottom = await open('bottom', [adds(RETRY)])
    const middle = await open('middle', [adds(linesOf('middle', 2), 'src/middle.ts')], { base: 'bottom' })
    const top = await open('top', [adds(linesOf('top', 1), 'src/top.ts')], { base: 'middle' })
    for (const [lower, upper] of [
      [bottom, middle],
      [middle, top],
    ] as const) {
      await repository.push(lower, repository.githubRepo.pull(lower).files)
      const { files } = repository.githubRepo.pull(lower)
      await merge(lower, squash)
      repository.githubRepo.update(upper, {
        base: 'main',
        files: [...files, ...repository.githubRepo.pull(upper).files],
      })
      await repository.deliver(upper, 'edited')
      await repository.advance(2 * QUIET_MS)
      expect(repository.comment(upper) ?? '').not.toContain(DONE)
    }
  })

  test('of more work on the branch that was merged', async () => {
    await openMerged('again', [adds(RETRY)])
    await expectNothing([adds(RETRY)])
  })

  test('after 30 days', async () => {
    const merged = await openMerged('retry', [adds(RETRY)])
    expect(await doneBy([adds(NEARLY)])).toMatchObject([{ id: `#${merged}`, share: 11 / 12 }])
    await repository.advance(30 * DAY_MS)
    expect(await doneBy([adds(NEARLY)])).toEqual([])
  })
})
