/** Applies events of a repository to all of its pull requests. The webhook surface translates payloads to these calls. */

import { reportCheckRun } from '../github/check-runs.ts'
import { clearRefusals } from '../pull-requests/store.ts'
import { settingsRunOf } from '../report/check-run.ts'
import type { App } from '../repositories/app.ts'
import { asInstallation, unlessRefused } from '../repositories/installation.ts'
import { openKnownRepo, type RepoContext } from '../repositories/repo.ts'
import { refreshSettings } from '../repositories/settings-refresh.ts'
import { enqueueAllRechecks } from './recheck.ts'

/** Reads the settings file again, enqueues a recheck of all pull requests, and reports mistakes in the file on the commit `sha`, unless the mode is `shadow` or `off`. */
export async function settingsChanged(app: App, ctx: RepoContext, sha: string | null): Promise<void> {
  await asInstallation(app, ctx, async (client) => {
    const stored = await refreshSettings(app, client, ctx.repo)
    // The settings decide which paths and areas overlap.
    ctx.repo.announce('any')
    const refreshed = await openKnownRepo(app, ctx.repo.id, ctx.now)
    if (refreshed) await enqueueAllRechecks(refreshed)
    const problems = stored?.settings_errors ?? []
    const isPosting = (refreshed ?? ctx).settings.comment.mode === 'on'
    if (sha === null || problems.length === 0 || !isPosting) return
    await unlessRefused(app, ctx, () => reportCheckRun(client, ctx.repo, settingsRunOf(sha, problems)))
  })
}

/** After a repository is unarchived, publishes what GitHub refused meanwhile. */
export async function repositoryUnarchived(ctx: RepoContext): Promise<void> {
  await clearRefusals(ctx.db, ctx.repo.id)
  await enqueueAllRechecks(ctx)
}
