/** Applies what was decided: the rows in one transaction, then the publication, then who was shown what. */
import { enqueueNotification } from '../records/changes/changes.ts'
import { savePullRequest } from '../records/pull-requests/store.ts'
import type { App } from '../records/repositories/app.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { type Decision, decide } from './decide.ts'
import type { Check } from './facts.ts'
import { inLedger, recordShown, writePairs } from './ledger.ts'
import { pullRequestKey } from './pair.ts'
import { publish } from './publish.ts'
import { readFacts } from './read.ts'
import { clearShown } from './store.ts'

/** Records what a check leads to. The decision is made in the transaction, because it depends on rows that are locked. */
export function record(ctx: RepoContext, check: Check): Promise<Decision> {
  return inLedger(ctx, async (within) => {
    const decision = decide(await readFacts(within, check))
    const { db, repo } = within
    await writePairs(within, decision.pairs)
    for (const { first, second } of decision.notified)
      await enqueueNotification(within, { pair: { first, second } })
    const { pull_request } = decision
    if (pull_request) {
      const { pr, related_ids, charged } = pull_request
      await savePullRequest(db, repo.id, pr.number, { related_ids, ...charged })
    }
    return decision
  })
}

/**
 * Records what the check of a pull request leads to, and publishes at most one comment and one check run. Returns whether
 * the comment was found deleted, so that the decision is no longer valid.
 */
export async function recordAndPublish(app: App, ctx: RepoContext, check: Check): Promise<boolean> {
  const { pull_request } = await record(ctx, check)
  if (!pull_request) return false
  const { pr, publication, named } = pull_request
  const published = await publish(app, ctx, { pr, ...publication })
  if (published === 'shows_overlap') await recordShown(ctx, check.subject.key, named)
  // The pairs that were found since the comment was last written may make a new one.
  if (published === 'deleted') await forgetComment(ctx, pr.number, pr.published_at ?? ctx.now)
  return published === 'deleted'
}

/** Records that somebody deleted the comment on a pull request. Only pairs that are found after `deleted_at` make a new one. */
export function forgetComment(ctx: RepoContext, number: number, deleted_at: Date): Promise<void> {
  return inLedger(ctx, async ({ db, repo }) => {
    await clearShown(db, repo.id, pullRequestKey(number))
    await savePullRequest(db, repo.id, number, {
      comment_id: null,
      comment_hash: null,
      comment_version: null,
      comment_posted_at: null,
      comment_edits: 0,
      comment_deleted_at: deleted_at,
      commented_at: null,
      is_over_budget: false,
      thumbs_up: 0,
      thumbs_down: 0,
    })
  })
}
