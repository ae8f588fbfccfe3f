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
  { now, git, base, remote }: CloneOptions,
): Promise<LocalWork[]> {
  const work = records.map((each) => ({ ...each, activity: asIn(each.activity, trees, now) }))
  const live = work.filter(({ activity }) => isLive(activity.status))
  const there = new Set([null, base, ...trees.map(({ branch }) => branch)])
  const named = new Set(live.flatMap(({ activity: { branch, base_branch } }) => [branch, base_branch]))
  const unsure = [...named].filter((name): name is string => !there.has(name))
  if (unsure.length === 0) return work
  const refs = await git.refs(
    'objectname',
    unsure.flatMap((name) => refsOf(name, remote)),
  )
  const gone = unsure.filter((name) => !refsOf(name, remote).some((ref) => refs.has(ref)))
  /** The name that the branch has now in the working tree where it was checked out. */
  const renamed = async ({ branch, worktree }: LocalActivity): Promise<string | null> => {
    const now_there = trees.find(({ root }) => root === worktree)?.branch
    const ref = `refs/heads/${now_there}`
    const search = ['-g', '-F', `--grep-reflog=Branch: renamed refs/heads/${branch} to `, ref, '--']
    return (now_there && (await git.output(['log', '-1', '--format=%H', ...search])) && now_there) || branch
  }
  for (const { activity } of live) {
    if (gone.includes(activity.base_branch ?? '')) activity.base_branch = base ?? null
    if (gone.includes(activity.branch ?? '')) activity.branch = await renamed(activity)
  }
  return work
}

function asIn(activity: LocalActivity, trees: readonly WorkingTreeOf[], now: Date): LocalActivity {
  const tree = trees.find(({ branch }) => branch !== null && branch === activity.branch)
  const worktree = tree?.root ?? activity.worktree
  const is_gone = worktree !== null && !existsSync(worktree) && activity.expires_at > now
  return asOf({ ...activity, worktree, ...(is_gone && { expires_at: now }) }, now)
}
