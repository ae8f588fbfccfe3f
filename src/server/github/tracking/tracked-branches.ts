/** Creates activities for pushed branches that have no pull request (docs/contract/activities.md#branches). */
import { later } from '../../../vocabulary/clock.ts'
import { matchesName } from '../../../vocabulary/scope/glob.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import {
  type BranchPush,
  endBranch,
  pushBranch,
  trackBranch,
  trackingBy,
} from '../../records/activities/branches.ts'
import { listLive } from '../../records/activities/pull-request-store.ts'
import type { App } from '../../records/repositories/app.ts'
import { readGithub } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { compareBranches, hasOpenPullRequest, ifFound, named } from '../repository-calls.ts'
import { completeFiles } from '../trees.ts'
import { pushedChangesOf } from './changed-files.ts'
import { linkRenamed } from './stack-links.ts'

/** The kind of job that compares one branch with the default branch. */
export const COMPARE_BRANCH = 'compare_branch'

/** The pushes of a burst arrive within this time. */
const BURST_MS = 2000
/** The minimum time between two comparisons of one branch. */
const QUIET_MS = 30_000
const BRANCH_MAX = 255

/** Treats a push as a heartbeat of the branch's activities, and enqueues the comparison of a tracked branch. */
export async function branchPushed(ctx: RepoContext, push: BranchPush): Promise<void> {
  const live = await pushBranch(ctx, push.branch)
  if (!isTracked(ctx, push) || trackingBy(live) === 'other') return
  const { db, now, repo } = ctx
  const given = { about: push.branch, priority: 'live' as const, payload: push }
  const job = jobOn(repo, COMPARE_BRANCH, { ...given, run_at: later(now, BURST_MS) })
  await enqueue(db, [job], now, { gap_ms: QUIET_MS })
}

/** Archives the activities of a deleted branch, unless it was pushed again since. Work for a branch that was renamed stays work for its new name. One call. */
export async function branchDeleted(app: App, ctx: RepoContext, branch: string): Promise<void> {
  const reading = readGithub(app, ctx, (reader, { repo }) =>
    reader.rest.repos.getBranch({ ...named(repo), branch }),
  )
  const found = await ifFound(reading.then((read) => read?.data ?? { name: branch }))
  if (found?.name === branch) return
  await endBranch(ctx, branch, false)
  if (found) await linkRenamed(ctx, branch, found.name)
}

function isTracked({ settings }: RepoContext, { branch, default_branch }: BranchPush): boolean {
  if (branch === default_branch || branch.length > BRANCH_MAX) return false
  return matchesName(settings.track_branches, branch)
}

/**
 * Reads the changed files of a pushed branch, and stores them with its activity. One call, and two more for a branch of 300
 * files and more. Before the branch gets an activity, another call asks whether it has a pull request, because deliveries may
 * have been missed.
 */
export async function compareBranch(app: App, ctx: RepoContext, push: BranchPush): Promise<void> {
  if (ctx.repo.installation_id === null || !isTracked(ctx, push)) return
  const tracking = trackingBy(await listLive(ctx.db, ctx.repo.id, { branch: push.branch }, ctx.now))
  if (tracking === 'other') return
  const { branch, default_branch } = push
  const reading = readGithub(app, ctx, async (reader, { repo }) => {
    if (tracking === 'none' && (await hasOpenPullRequest(reader, repo, branch))) return undefined
    const comparison = await compareBranches(reader, repo, { base: default_branch, head: branch })
    const { head, merge_base_sha: base_sha } = comparison
    const given = { head_sha: head.sha, limits: app.list_limits }
    const files = await completeFiles(reader, repo, comparison, given)
    return { message: head.message, changes: { ...files, base_sha } }
  })
  // Undefined if the branch was deleted or has an open pull request.
  const compared = await ifFound(reading)
  if (compared) await trackBranch(ctx, { ...push, ...compared }, await pushedChangesOf(ctx, compared.changes))
}
