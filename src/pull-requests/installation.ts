/** Calls to GitHub as the app's installation: a limit that GitHub sets is stored, and waited for by the job, not by the process. */
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { installationOf } from '../context/following.ts'
import type { RepoContext } from '../context/repo.ts'
import { findRepository, pauseInstallation, updateRepository } from '../context/store.ts'
import type { Installation } from '../github/app.ts'
import { isNotFound } from '../github/client.ts'
import { classifyError } from '../github/octokit.ts'
import { NotBefore } from '../jobs/jobs.ts'

/**
 * Runs calls of an installation. Throws `NotBefore` while GitHub limits its rate, and what the client throws. Where the
 * app is suspended, or not installed any more, the answer is undefined; a delivery that came late may have claimed that
 * it still is.
 */
export async function asInstallation<Result>(
  app: App,
  { db, now, repo }: RepoContext,
  work: (client: Installation) => Promise<Result>,
): Promise<Result | undefined> {
  const stored = await findRepository(db, repo.id)
  if (!app.github_app || stored?.installation_id == null) return undefined
  if (stored.paused_until && stored.paused_until > now) throw new NotBefore(stored.paused_until)
  try {
    return await work(await app.github_app.probot.auth(stored.installation_id))
  } catch (error) {
    const refusal = classifyError(error, app.clock())
    if (isSuspended(error) && refusal.kind !== 'rate_limited') return undefined
    const mayBeOff = isNotFound(error) || (error as { status?: number }).status === 401
    if (mayBeOff && !(await isInstalled(app, repo))) {
      await updateRepository(db, repo.id, { installation_id: null, left_at: app.clock() })
      return undefined
    }
    if (refusal.kind !== 'rate_limited') throw error
    const paused_until = later(app.clock(), refusal.retry_after * 1000)
    await pauseInstallation(db, stored.installation_id, paused_until)
    throw new NotBefore(paused_until)
  }
}

/** Whether a call failed because its owner suspended the installation; once that ends, everything is taken in again. */
export function isSuspended(error: unknown): boolean {
  const { status, message } = error as { status?: number; message?: string }
  return status === 403 && /installation has been suspended/i.test(message ?? '')
}

interface Name {
  owner: string
  name: string
}

/** Whether GitHub says that the app is installed in a repository; one call. */
export async function isInstalled(app: App, repository: Name): Promise<boolean> {
  return (await installationOf(app, repository)) !== null
}

/**
 * Runs what writes to a pull request. Undefined, and a line in the log, where GitHub refuses it for good: its
 * conversation is locked, the repository archived, a permission not granted. Throws every other error.
 */
export async function unlessRefused<Result>(
  app: App,
  { repo }: RepoContext,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    // Where the app was taken off, that is found out by whoever runs this as its installation.
    if (!isRefusal(error, app.clock()) || (isNotFound(error) && !(await isInstalled(app, repo)))) throw error
    const { status, message } = error as { status?: number; message?: string }
    app.log.warn({ repo_id: repo.id, status, reason: message?.slice(0, 200) }, 'github refused write')
    return undefined
  }
}

/** Whether asking again would be answered the same: no limit of the rate, with its header or without, and no suspension. */
function isRefusal(error: unknown, now: Date): boolean {
  const { status, message } = error as { status?: number; message?: string }
  const isFinal = status === 403 || status === 422 || isNotFound(error)
  const isLimited =
    classifyError(error, now).kind === 'rate_limited' || /rate limit|abuse/i.test(message ?? '')
  return isFinal && !isLimited && !isSuspended(error)
}
