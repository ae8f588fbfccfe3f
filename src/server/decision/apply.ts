/** Applies what was decided: the rows in one transaction, then the publication, then who was shown what. */
import { enqueueNotification } from '../announcements/notification-queue.ts'
import { writePairs } from '../ledger/ledger.ts'
import { markShown, saveNoisePairs } from '../ledger/store.ts'
import { savePullRequest } from '../pull-requests/store.ts'
import { publish } from '../report/publish.ts'
import type { App } from '../repositories/app.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { type Decision, decide } from './decide.ts'
import type { Check } from './facts.ts'
import { readFacts } from './read.ts'

/** Records what a check leads to. The decision is made in the transaction, because it depends on rows that are locked. */
export function record(ctx: RepoContext, check: Check): Promise<Decision> {
  return inTransaction(ctx, async (within) => {
    const decision = decide(await readFacts(within, check))
    const { db, now, repo } = within
    await writePairs(within, decision.pairs)
    await saveNoisePairs(db, repo.id, decision.noise_pairs, now)
    for (const { first, second } of decision.notified)
      await enqueueNotification(within, { pair: { first, second } })
    const { pull_request } = decision
    if (pull_request) await savePullRequest(db, repo.id, pull_request.pr.number, pull_request.changes)
    return decision
  })
}

/** Records what the check of a pull request leads to, and publishes at most one comment and one check run. */
export async function recordAndPublish(app: App, ctx: RepoContext, check: Check): Promise<void> {
  const { pull_request } = await record(ctx, check)
  if (!pull_request) return
  const { pr, publication, named } = pull_request
  const is_shown = await publish(app, ctx, { pr, ...publication })
  const shown = { others: named, at: ctx.now, is_mergeable: pr.is_mergeable }
  if (is_shown) await markShown(ctx.db, ctx.repo.id, check.subject.key, shown)
}
