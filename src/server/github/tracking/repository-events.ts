/** Applies to all pull requests of a repository what happens to it: other settings, the end of an archive, and that somebody leaves it. */

import { ownSettings, storedSettings } from '../../../engine/settings/layers.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { type Db, deleteAll } from '../../platform/db/database.ts'
import { clearRefusals, findPullRequest, listUnsaid } from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { takeWrites } from '../../records/repositories/installation.ts'
import { isOrganisationRepository } from '../../records/repositories/installation-store.ts'
import { asInstallation } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { type RepositoryRow, updateRepository } from '../../records/repositories/store.ts'
import { type Push, refreshSettings } from '../../records/repositories/stored-settings.ts'
import { etags } from '../../records/repositories/table.ts'
import { forgetComment, publish, writeCheckRun } from '../../tell/apply.ts'
import { settingsRunOf } from '../../tell/check-run.ts'
import { FAREWELL, farewellTo } from '../../tell/decide.ts'
import { enqueueAllRechecks } from './recheck.ts'

/**
 * Reads the settings file again, which decides which paths and areas overlap, and reports mistakes in the file on the pushed
 * commit, unless the last valid settings say `shadow` or `off`. `push`: null if the default branch became another one.
 */
export async function settingsChanged(app: App, ctx: RepoContext, push: Push | null): Promise<void> {
  const stored = await asInstallation(app, ctx, (client, { repo }) =>
    refreshSettings(app, client, repo, push ? { push } : {}),
  )
  if (!stored) return
  // If a missed push takes the change back, the next reconciliation sees what the last one saw, and must read it all the same.
  await deleteAll(ctx.db, etags, ctx.repo.id)
  const problems = stored.settings_errors
  // A first file that is invalid silences the repository, but its author hears of the mistakes all the same.
  const valid = { ...stored, settings_errors: [] }
  // The author of an organisation's file does, whether or not the roll-out includes its repository.
  const { comment } = isOrganisationRepository(stored.name) ? ownSettings(valid) : storedSettings(valid)
  if (push === null || problems.length === 0 || comment.mode !== 'on') return
  await takeWrites(app, ctx, 1)
  const run = settingsRunOf(push.sha, problems, { is_first: stored.settings === null })
  await writeCheckRun(app, ctx, { run })
}

/** After a repository is unarchived, publishes what GitHub refused meanwhile. */
export async function repositoryUnarchived(ctx: RepoContext): Promise<void> {
  await clearRefusals(ctx.db, ctx.repo.id)
  await enqueueAllRechecks(ctx)
}

/** Leaves a repository (docs/contract/publishing.md#leaving): ends all publishing there, and enqueues the last edits. Returns since when, and how many pull requests are left to edit. */
export function startFarewell(
  db: Db,
  { repo_id, owner, farewell_at }: Pick<RepositoryRow, 'repo_id' | 'owner' | 'farewell_at'>,
  now: Date,
): Promise<{ as_of: Date; left: number }> {
  return db.transaction(async (tx) => {
    const as_of = farewell_at ?? now
    await updateRepository(tx, repo_id, { farewell_at: as_of })
    const job = jobOn({ id: repo_id, owner }, FAREWELL, { priority: 'recheck', run_at: now })
    await enqueue(tx, [job], now)
    return { as_of, left: (await listUnsaid(tx, repo_id, FAREWELL)).length }
  })
}

/**
 * Says in what the App published that nobody watches the repository any more. Each edit is stored once GitHub has accepted it, so a run that
 * was cut short goes on with the others; each attempt begins with another one, because one may fail always.
 */
export async function sayFarewell(app: App, ctx: RepoContext, attempts: number): Promise<void> {
  const { db, repo, now } = ctx
  if (repo.farewell_at === null) return
  const unsaid = await listUnsaid(db, repo.id, FAREWELL)
  const first = attempts % unsaid.length
  for (const number of [...unsaid.slice(first), ...unsaid.slice(0, first)]) {
    const pr = await findPullRequest(db, repo.id, number)
    if (!pr) continue
    const published = await publish(app, ctx, { pr, ...farewellTo(pr, repo.farewell_at) })
    if (published === 'deleted') await forgetComment(ctx, number, now)
  }
}
