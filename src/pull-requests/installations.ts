/** What it means that the app is installed, taken off, or given other repositories (issue: tracked pull requests). */
import type { App } from '../context/app.ts'
import { type FollowedRepository, follow, refreshSettings } from '../context/following.ts'
import { openKnownRepo } from '../context/repo.ts'
import { findRepository, listRepositories, updateRepository } from '../context/store.ts'
import { isNotFound, openPullRequests } from '../github/client.ts'
import { parsePullRequest } from '../github/pull-request.ts'
import { ask, type NewJob } from '../jobs/store.ts'
import { recordEffect } from '../telemetry/execution.ts'
import { asInstallation, isSuspended } from './installation.ts'
import { openFollowed, pullRequestChanged } from './pull-requests.ts'

/** The kinds of jobs that take in the repositories of an installation, a repository, and one of its pull requests. */
export const INSTALLATION = 'installation'
export const REPOSITORY = 'repository'
export const PULL_REQUEST = 'pull_request'

const PAGE = 100

export function installationJob(installation_id: number, run_at: Date): NewJob {
  return {
    id: `${INSTALLATION}:${installation_id}`,
    kind: INSTALLATION,
    repo_id: 0,
    payload: { installation_id },
    run_at,
  }
}

export function repositoryJob(repository: FollowedRepository, run_at: Date): NewJob {
  return {
    id: `${REPOSITORY}:${repository.id}`,
    kind: REPOSITORY,
    repo_id: repository.id,
    payload: repository,
    run_at,
  }
}

/** Takes in all repositories that an installation has, one call for each hundred. One that is gone by now has none. */
export async function takeInInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const db = app.database.connection()
  try {
    for (let page = 1; ; page += 1) {
      const found = await listInstalled(app, installation_id, page)
      await ask(
        db,
        found.map((repository) => repositoryJob(repository, now)),
        now,
      )
      if (found.length < PAGE) return
    }
  } catch (error) {
    if (isSuspended(error)) return
    // A token that outlived the installation is refused with 401.
    const mayBeGone = isNotFound(error) || (error as { status?: number }).status === 401
    if (!mayBeGone || (await isThere(app, installation_id))) throw error
    await leaveInstallation(app, installation_id, now)
  }
}

async function isThere(app: App, installation_id: number): Promise<boolean> {
  try {
    const asApp = await app.github_app?.probot.auth()
    await asApp?.rest.apps.getInstallation({ installation_id })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function listInstalled(app: App, installation_id: number, page: number): Promise<FollowedRepository[]> {
  if (!app.github_app) return []
  const client = await app.github_app.probot.auth(installation_id)
  const { data } = await client.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page })
  return data.repositories.map(({ id, name, owner }) => ({ id, owner: owner.login, name, installation_id }))
}

/** Takes in a repository: its settings, and its open pull requests, one call for each hundred and a job for each. */
export async function takeInRepository(app: App, repository: FollowedRepository, now: Date): Promise<void> {
  const known = await openKnownRepo(app, repository.id, now)
  if (!known?.repo.is_followed) await follow(app, repository, now)
  const ctx = await openFollowed(app, repository, now)
  await asInstallation(app, ctx, async (client) => {
    // Also where they were read before: while the app was suspended, pushes were not told.
    await refreshSettings(app, repository)
    for await (const page of openPullRequests(client, ctx.repo))
      await ask(
        ctx.db,
        page.map((pr) => pullRequestJob(repository.id, pr, now)),
        now,
      )
  })
}

/** The job that takes in one pull request, as GitHub spelt it. */
export function pullRequestJob(repo_id: number, pr: { number: number }, run_at: Date): NewJob {
  return { id: `${PULL_REQUEST}:${repo_id}:${pr.number}`, kind: PULL_REQUEST, repo_id, payload: pr, run_at }
}

export async function takeInPullRequest(app: App, repo_id: number, pr: unknown, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (ctx) await pullRequestChanged(app, ctx, parsePullRequest(pr), 'seen')
}

/** The installation was taken off a repository, and may have been after another one took its place there. */
export async function leaveRepositoryOf(
  app: App,
  { id, installation_id }: { id: number; installation_id: number },
  now: Date,
): Promise<void> {
  const stored = await findRepository(app.database.connection(), id)
  if (stored?.installation_id === installation_id) await leaveRepository(app, id, now)
}

/** The app was taken off a repository: nothing is followed there any more, and what the app made goes after the retention period. */
export async function leaveRepository(app: App, repo_id: number, now: Date): Promise<void> {
  await updateRepository(app.database.connection(), repo_id, { installation_id: null, left_at: now })
  recordEffect('repository_left')
}

/** The app was taken off all repositories of an installation. */
export async function leaveInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const repositories = await listRepositories(app.database.connection(), { installation_id })
  for (const { repo_id } of repositories) await leaveRepository(app, repo_id, now)
}
