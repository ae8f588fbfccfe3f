/** Reads a repository on GitHub: as its installation, or with the token that watches it. */
import { later } from '../../../vocabulary/clock.ts'
import { classifyError } from '../../github/octokit.ts'
import { type GithubPullRequest, parsePullRequest } from '../../github/pull-request.ts'
import { ifFound, named, type Reader } from '../../github/repository-calls.ts'
import type { App } from './app.ts'
import { asInstallation, RateLimited } from './installation.ts'
import type { RepoContext } from './repo.ts'
import { findRepository, updateRepository } from './store.ts'

/** How long nothing is read after GitHub rejected the token, or did not show the repository to it. */
export const STOP_MS = 300_000

/**
 * Runs reading calls about the repository. Returns undefined if the App is suspended or no longer installed there, or if
 * this instance does not watch it. Throws `RateLimited`, and what the client throws.
 */
export async function readGithub<Result>(
  app: App,
  ctx: RepoContext,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result | undefined> {
  return ctx.repo.is_watched ? asWatcher(app, ctx, work) : asInstallation(app, ctx, work)
}

async function asWatcher<Result>(
  app: App,
  { db, now, repo }: RepoContext,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result | undefined> {
  const { watch } = app
  if (!watch) return undefined
  const paused = [
    watch.pausedUntil(now),
    watch.find(repo)?.retry_at ?? null,
    (await findRepository(db, repo.id))?.paused_until ?? null,
  ].find((until) => until && until > now)
  if (paused) throw new RateLimited(paused)
  try {
    return await work(watch.reader)
  } catch (error) {
    const pause_ms = pauseAfter(error, app.clock())
    if (pause_ms === null) throw error
    const until = later(app.clock(), pause_ms)
    watch.pause(until)
    await updateRepository(db, repo.id, { paused_until: until })
    throw new RateLimited(until, error)
  }
}

/** How long the token must not be used after an error, in milliseconds; null if the error is not about the token. */
export function pauseAfter(error: unknown, now: Date): number | null {
  const refusal = classifyError(error, now)
  if (refusal.kind === 'rate_limited') return refusal.retry_after * 1000
  if (refusal.kind === 'unauthorized') return STOP_MS
  return null
}

/** Reads the pull request from GitHub; undefined if it does not exist in this repository. One call. */
export async function readPullRequest(
  app: App,
  ctx: RepoContext,
  number: number,
): Promise<GithubPullRequest | undefined> {
  const asked = { ...named(ctx.repo), pull_number: number }
  const found = await ifFound(readGithub(app, ctx, (reader) => reader.rest.pulls.get(asked)))
  const read = found && parsePullRequest(found.data)
  return read?.repository_id === ctx.repo.id ? read : undefined
}
