/** Applies events of a repository to all of its pull requests. The webhook surface translates payloads to these calls. */

import { clearRefusals } from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { asInstallation, takeWrites, unlessRefused } from '../../records/repositories/installation.ts'
import { isOrganisationRepository } from '../../records/repositories/installation-store.ts'
import { confirmName } from '../../records/repositories/registration.ts'
import { openKnownRepo, type RepoContext } from '../../records/repositories/repo.ts'
import {
  ownSettings,
  type Push,
  refreshSettings,
  storedSettings,
} from '../../records/repositories/stored-settings.ts'
import { settingsRunOf } from '../../tell/publication.ts'
import { reportCheckRun } from '../publications.ts'
import { enqueueAllRechecks } from './recheck.ts'

/**
 * Reads the settings file again, enqueues a recheck of all pull requests, and reports mistakes in the file on the pushed
 * commit, unless the last valid settings say `shadow` or `off`. `push`: null if the default branch became another one.
 */
export async function settingsChanged(app: App, ctx: RepoContext, push: Push | null): Promise<void> {
  const stored = await asInstallation(app, ctx, async (client) => {
    const confirmed = await confirmName(app, ctx, { client })
    return confirmed && refreshSettings(app, client, confirmed.repo, push ? { push } : {})
  })
  if (!stored) return
  const refreshed = await applySettings(app, ctx)
  const problems = stored.settings_errors
  const { settings, repo } = refreshed ?? ctx
  const isFirst = stored.settings === null
  // A first file that is invalid silences the repository, but its author hears of the mistakes all the same.
  const before = { ...stored, settings_errors: [] }
  // The author of an organisation's file does, whether or not the roll-out includes its repository.
  const isOfOrganisation = isOrganisationRepository(repo.name)
  const valid = isOfOrganisation ? ownSettings(before) : isFirst ? storedSettings(before) : settings
  if (push === null || problems.length === 0 || valid.comment.mode !== 'on') return
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
