/** The SQL that an overlap check reads activities with. Every statement begins with the repository's id. */
import { and, desc, eq, gt, inArray, lt, not, sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import { isLiveAt } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

/** What an overlap check reads of an activity. */
const compared = {
  id: activities.id,
  title: activities.title,
  actor: activities.actor,
  branch: activities.branch,
  base_branch: activities.base_branch,
  risk: activities.risk,
  blocking: activities.blocking,
  status: activities.status,
  pr_url: activities.pr_url,
  pr_number: activities.pr_number,
  draft_pr: activities.draft_pr,
  created_at: activities.created_at,
  scope: activities.scope,
  scope_is_literal: activities.scope_is_literal,
}
export type ComparedActivity = Pick<ActivityRow, keyof typeof compared>
export type MergedActivity = ComparedActivity & Pick<ActivityRow, 'summary' | 'merged_at'>

/** Up to `limit` live activities of one half, the dangerous (blocking, of high or critical risk) or the others; newest first, older than the id `after`. */
export function listLive(
  db: Db,
  repo_id: number,
  options: { now: Date; dangerous: boolean; after: string | null; limit: number },
): Promise<ComparedActivity[]> {
  const dangerous = sql`(${activities.blocking} or ${activities.risk} in ('high', 'critical'))`
  return db
    .select(compared)
    .from(activities)
    .where(
      and(
        isLiveAt(repo_id, options.now),
        options.dangerous ? dangerous : not(dangerous),
        options.after === null ? undefined : lt(activities.id, options.after),
      ),
    )
    .orderBy(desc(activities.id))
    .limit(options.limit)
}

/** A live activity as a link between two branches. */
export interface BranchLink {
  id: string
  branch: string | null
  base_branch: string | null
}

/** Up to `limit` live activities whose `branch` (or `base_branch`) is one of `names`, newest first. */
export function listLinks(
  db: Db,
  repo_id: number,
  options: { now: Date; by: 'branch' | 'base_branch'; names: string[]; limit: number },
): Promise<BranchLink[]> {
  return db
    .select({ id: activities.id, branch: activities.branch, base_branch: activities.base_branch })
    .from(activities)
    .where(and(isLiveAt(repo_id, options.now), inArray(activities[options.by], options.names)))
    .orderBy(desc(activities.id))
    .limit(options.limit)
}

/** The scopes of up to `limit` live activities of a branch, newest first. */
export function listScopes(
  db: Db,
  repo_id: number,
  options: { now: Date; branch: string; limit: number },
): Promise<Pick<ActivityRow, 'id' | 'scope' | 'scope_is_literal'>[]> {
  return db
    .select({ id: activities.id, scope: activities.scope, scope_is_literal: activities.scope_is_literal })
    .from(activities)
    .where(and(isLiveAt(repo_id, options.now), eq(activities.branch, options.branch)))
    .orderBy(desc(activities.id))
    .limit(options.limit)
}

/** Up to `limit` activities that were merged after `since`, the last merged first, each one earlier than `after`. */
export function listMerged(
  db: Db,
  repo_id: number,
  options: { since: Date; after: Pick<MergedActivity, 'id' | 'merged_at'> | undefined; limit: number },
): Promise<MergedActivity[]> {
  const { merged_at, id } = options.after ?? {}
  const isEarlier = merged_at
    ? sql`(${activities.merged_at}, ${activities.id}) < (${merged_at.toISOString()}::timestamptz, ${id})`
    : undefined
  return db
    .select({ ...compared, summary: activities.summary, merged_at: activities.merged_at })
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), gt(activities.merged_at, options.since), isEarlier))
    .orderBy(desc(activities.merged_at), desc(activities.id))
    .limit(options.limit)
}
