/**
 * Applies pushes and deletions of branches to activities, and creates activities of pushed branches
 * (docs/contract/activities.md#branches).
 */

import { distinctNames } from '../../../engine/records/activity.ts'
import { archived, heartbeat } from '../../../engine/records/activity-lifecycle.ts'
import { clip } from '../../github/pull-request.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { deleteBranchRows } from '../stacks/store.ts'
import type { PushedChanges } from './activities.ts'
import { insertTracked, isUnlinked, updateRows } from './automatic.ts'
import { listLive, lockLiveOnBranch, lockOrigin } from './pull-request-store.ts'
import type { ActivityRow } from './table.ts'

/** Archives the live activities of a merged or deleted branch that have no pull request. A deleted one has no commits any more. */
export function endBranch(ctx: RepoContext, branch: string, is_merged: boolean): Promise<ActivityRow[]> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const rows = (await lockLiveOnBranch(db, repo.id, branch, now)).filter(isUnlinked)
    const is_base = (await listLive(db, repo.id, { base_branch: branch }, now)).length > 0
    if (!is_merged) await deleteBranchRows(db, repo.id, { branch, is_base })
    const reason = is_merged ? 'branch_merged' : 'branch_deleted'
    const update = (row: ActivityRow) => archived(ctx, reason, row.merged_at ?? (is_merged ? now : null))
    return updateRows(within, rows, { effect: 'archived', update })
  })
}

/** Treats a push as a heartbeat of the live activities of the branch. */
export function pushBranch(ctx: RepoContext, branch: string): Promise<ActivityRow[]> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const rows = await lockLiveOnBranch(db, repo.id, branch, now)
    const declared_at = now
    return updateRows(within, rows, {
      effect: 'kept_alive',
      update: (row) => ({ ...heartbeat(ctx, row, true), branch_pushed: true, declared_at }),
    })
  })
}

/** A push to a branch of the repository itself. */
export interface BranchPush {
  branch: string
  /** The branch that it is compared with. */
  default_branch: string
  /** The login of the pusher. */
  actor: string
}

/** `message`: that of the head commit. Its first line becomes the title. */
type ReadBranch = BranchPush & { message: string }

/**
 * How a branch with these live activities is tracked: `branch` if a live activity was created from its pushes, `other` if it only has other live
 * activities, `none` if it has no live activity.
 */
export function trackingBy(live: readonly ActivityRow[]): 'branch' | 'other' | 'none' {
  if (live.some(isOfBranch)) return 'branch'
  return live.length > 0 ? 'other' : 'none'
}

/** Whether the activity was created from a push and has no pull request yet. */
function isOfBranch({ source, pr_number }: ActivityRow): boolean {
  return source === 'branch' && pr_number === null
}

/**
 * Updates the activity that was created from pushes to the branch. Creates one if the branch changes a file and has no live
 * activity, unless the repository is at its limit.
 */
export function trackBranch(ctx: RepoContext, pushed: ReadBranch, changes: PushedChanges): Promise<void> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const { branch } = pushed
    await lockOrigin(db, repo.id, { branch })
    const live = await lockLiveOnBranch(db, repo.id, branch, now)
    const tracking = trackingBy(live)
    if (tracking === 'other' || (tracking === 'none' && changes.files.length === 0)) return
    if (tracking === 'branch') {
      const update = ({ scope }: ActivityRow) => ({
        ...describedFields(pushed, changes),
        scope: { areas: scope.areas, paths: distinctNames(changes.files) },
        scope_is_literal: true,
      })
      await updateRows(within, live.filter(isOfBranch), { effect: 'refreshed', update, changes })
      return
    }
    const fields = {
      source: 'branch' as const,
      ...describedFields(pushed, changes),
      actor: clip(pushed.actor, 100) || 'unknown',
      branch,
      branch_pushed: true,
      declared_at: now,
    }
    await insertTracked(within, fields, changes)
  })
}

function describedFields(
  { branch, default_branch, message }: ReadBranch,
  { files, is_complete }: PushedChanges,
) {
  const [subject = ''] = message.trim().split(/\r?\n/)
  const pushed = 'Pushed to this branch, which has no pull request yet.'
  const cut = ` GitHub listed its first ${files.length} changed files; there may be more, which are not compared.`
  return {
    title: clip(subject, 200) || clip(branch, 200),
    summary: is_complete ? pushed : `${pushed}${cut}`,
    base_branch: default_branch,
  }
}
