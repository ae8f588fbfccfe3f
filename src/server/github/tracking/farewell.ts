/** Leaves a repository: says in what the App published there that nobody watches it any more (docs/contract/publishing.md#leaving). */

import { enqueue } from '../../jobs/store.ts'
import type { Db } from '../../platform/db/database.ts'
import { findPullRequest, listUnsaid } from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { type RepositoryRow, updateRepository } from '../../records/repositories/store.ts'
import { forgetComment, publish } from '../../tell/apply.ts'
import { FAREWELL, farewellTo } from '../../tell/publication.ts'

/** Ends all publishing in the repository, and enqueues the last edits. Returns since when, and how many pull requests are left to edit. */
export function startFarewell(
  db: Db,
  { repo_id, owner, farewell_at }: Pick<RepositoryRow, 'repo_id' | 'owner' | 'farewell_at'>,
  now: Date,
): Promise<{ as_of: Date; left: number }> {
  return db.transaction(async (tx) => {
    const as_of = farewell_at ?? now
    await updateRepository(tx, repo_id, { farewell_at: as_of })
    const id = `${FAREWELL}:${repo_id}`
    await enqueue(tx, [{ id, kind: FAREWELL, priority: 'recheck', repo_id, owner, run_at: now }], now)
    return { as_of, left: (await listUnsaid(tx, repo_id, FAREWELL)).length }
  })
}

/** Each edit is stored once GitHub has accepted it, so a run that was cut short goes on with the next. */
export async function sayFarewell(app: App, ctx: RepoContext): Promise<void> {
  const { db, repo, now } = ctx
  if (repo.farewell_at === null) return
  for (const number of await listUnsaid(db, repo.id, FAREWELL)) {
    const pr = await findPullRequest(db, repo.id, number)
    if (!pr) continue
    const published = await publish(app, ctx, { pr, ...farewellTo(pr, repo.farewell_at) })
    if (published === 'deleted') await forgetComment(ctx, number, now)
  }
}
