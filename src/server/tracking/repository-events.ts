/** Applies events of a repository to all of its pull requests. The webhook surface translates payloads to these calls. */

import { reportCheckRun } from '../github/check-runs.ts'
import { clearRefusals } from '../pull-requests/publication-store.ts'
import { settingsRunOf } from '../report/check-run.ts'
import type { App } from '../repositories/app.ts'
import { asInstallation, takeWrites, unlessRefused } from '../repositories/installation.ts'
import { isOrganisationRepository } from '../repositories/organisation.ts'
import { openKnownRepo, type RepoContext } from '../repositories/repo.ts'
import { type Push, refreshSettings } from '../repositories/settings-refresh.ts'
import { ownSettings } from '../repositories/stored-settings.ts'
import { enqueueAllRechecks } from './recheck.ts'

/**
 * Reads the settings file again, enqueues a recheck of all pull requests, and reports mistakes in the file on the pushed
 * commit, unless the last valid settings say `shadow` or `off`. `push`: null if the default branch became another one.
 */
export async function settingsChanged(app: App, ctx: RepoContext, push: Push | null): Promise<void> {
  const stored = await asInstallation(app, ctx, (client) =>
    refreshSettings(app, client, ctx.repo, push ? { push } : {}),
  )
  if (!stored) return
  const refreshed = await applySettings(app, ctx)
  const problems = stored.settings_errors
  const { settings, repo } = refreshed ?? ctx
  // The author of an organisation's file hears of mistakes, whether or not the roll-out includes its repository.
  const { mode } = (isOrganisationRepository(repo.name) ? ownSettings(stored) : settings).comment
  const isFirst = stored.settings === null
  if (push === null || problems.length === 0 || (mode !== 'on' && !isFirst)) return
  await takeWrites(app, ctx, 1)
  const run = settingsRunOf(push.sha, problems, { is_first: isFirst })
  await asInstallation(
    app,
    ctx,
    (client) => unlessRefused(app, ctx, () => reportCheckRun(client, ctx.repo, run)),
    'writes',
  )
}

/** Applies new settings: they decide which paths and areas overlap. */
export async function applySettings(app: App, ctx: RepoContext): Promise<RepoContext | undefined> {
  const refreshed = await openKnownRepo(app, ctx.repo.id, ctx.now)
  if (refreshed) await enqueueAllRechecks(refreshed)
  return refreshed
}

/** After a repository is unarchived, publishes what GitHub refused meanwhile. */
export async function repositoryUnarchived(ctx: RepoContext): Promise<void> {
  await clearRefusals(ctx.db, ctx.repo.id)
  await enqueueAllRechecks(ctx)
}
