/** Declared work as git has its branches and working trees now (docs/contract/local.md#live-work). */
import { existsSync } from 'node:fs'
import { asOf } from '../engine/records/activity-lifecycle.ts'
import { refsOf } from '../git/git.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import type { CloneOptions } from './clone-options.ts'
import type { WorkingTreeOf } from './trees.ts'
import type { LocalActivity, LocalWork } from './work.ts'

/** The records as of now: they go with their branch to another name and another working tree, and end with their working tree. */
export async function declaredNow(
  records: readonly LocalWork[],
  trees: readonly WorkingTreeOf[],
  { now, git: plain, base, remote }: CloneOptions,
): Promise<LocalWork[]> {
  const work = records.map((each) => ({ ...each, activity: asIn(each.activity, trees, now) }))
  const live = work.flatMap((each) => (each.had_branch && isLive(each.activity.status) ? each.activity : []))
  const there = [null, base, ...trees.map(({ branch }) => branch)]
  const unsure = live
    .flatMap(({ branch, base_branch }) => [branch, base_branch])
    .filter((name): name is string => !there.includes(name))
  if (unsure.length === 0) return work
  // The working trees have few branches; the records can have had many.
  const git = plain.atOneMoment()
  const refsFor = (name: string) => refsOf(name, remote)
  const refs = await git.refs('objectname', unsure.flatMap(refsFor))
  const isGone = (name: string | null) =>
    name !== null && unsure.includes(name) && !refsFor(name).some((ref) => refs.has(ref))
  for (const activity of live) {
    if (isGone(activity.base_branch)) activity.base_branch = base ?? null
    const { branch, worktree } = activity
    const now_there = trees.find(({ root }) => root === worktree)?.branch
    if (!now_there || !isGone(branch)) continue
    const reflog = await git.output(['log', '-g', '--format=%gs', `refs/heads/${now_there}`, '--'])
    if (reflog?.includes(`Branch: renamed refs/heads/${branch} to `)) activity.branch = now_there
  }
  return work
}

function asIn(activity: LocalActivity, trees: readonly WorkingTreeOf[], now: Date): LocalActivity {
  const tree = trees.find(({ branch }) => branch !== null && branch === activity.branch)
  const worktree = tree?.root ?? activity.worktree
  const is_gone = worktree !== null && !existsSync(worktree) && activity.expires_at > now
  return asOf({ ...activity, worktree, ...(is_gone && { expires_at: now }) }, now)
}
