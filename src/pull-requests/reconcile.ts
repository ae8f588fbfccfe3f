/** Makes up for deliveries that never came: GitHub does not send failed ones again by itself (issue: reconciliation). */
import { deleteBranch } from '../activities/automatic.ts'
import { listFollowed, listPushedBranches } from '../activities/pull-request-store.ts'
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { listFollowedRepositories } from '../context/store.ts'
import type { Installation } from '../github/app.ts'
import { isGone } from '../github/client.ts'
import { pullRequestOf } from '../github/pull-request.ts'
import { ask, type NewJob } from '../jobs/store.ts'
import { did } from '../telemetry/work.ts'
import { asInstallation } from './installation.ts'
import { pullRequestJob } from './installations.ts'
import { pullRequestChanged } from './pull-requests.ts'
import { listOpen } from './store.ts'

/** The kinds of jobs that look for failed deliveries, for repositories to reconcile, and into one repository. */
export const REDELIVER = 'redeliver'
export const RECONCILE_ALL = 'reconcile_all'
export const RECONCILE = 'reconcile'

const REDELIVER_EVERY_MS = 600_000
const RECONCILE_EVERY_MS = 3_600_000
/** GitHub keeps deliveries for three days. */
const DELIVERIES_FOR_MS = 3 * 86_400_000
const PAGE = 100
const PAGES_MAX = 50
/** Branches that are asked about in one repository at most, each one call. */
const BRANCHES_MAX = 100

/** The two jobs that begin it all; each asks for itself again, so that there is one of each however many instances run. */
export function firstJobs(now: Date): NewJob[] {
  return [jobOf(REDELIVER, now), jobOf(RECONCILE_ALL, now)]
}

function jobOf(kind: string, run_at: Date): NewJob {
  return { id: kind, kind, repo_id: 0, run_at }
}

/** Has GitHub send again what no instance has taken. Answers how many deliveries that were. */
export async function redeliverFailed(app: App, now: Date): Promise<number> {
  if (!app.github_app) return 0
  await ask(app.database.connection(), [jobOf(REDELIVER, later(now, REDELIVER_EVERY_MS))], now)
  const asApp = await app.github_app.probot.auth()
  const oldest = later(now, -DELIVERIES_FOR_MS)
  const delivered = new Set<string>()
  const failed = new Map<string, number>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, headers } = await asApp.rest.apps.listWebhookDeliveries({
      per_page: PAGE,
      ...(cursor && { cursor }),
    })
    for (const { id, guid, status_code } of data) {
      if (status_code >= 200 && status_code < 300) delivered.add(guid)
      else failed.set(guid, id)
    }
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.link ?? '')?.[1]
    const last = data.at(-1)
    if (!cursor || !last || new Date(last.delivered_at) < oldest) break
  }
  const again = [...failed].filter(([guid]) => !delivered.has(guid))
  for (const [, delivery_id] of again) await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id })
  did('redelivered', again.length)
  return again.length
}

/** Asks for a look into every followed repository. */
export async function reconcileAll(app: App, now: Date): Promise<void> {
  const db = app.database.connection()
  await ask(db, [jobOf(RECONCILE_ALL, later(now, RECONCILE_EVERY_MS))], now)
  for (let after = 0; ; ) {
    const ids = await listFollowedRepositories(db, { after, limit: PAGE })
    await ask(
      db,
      ids.map((repo_id) => ({ id: `${RECONCILE}:${repo_id}`, kind: RECONCILE, repo_id, run_at: now })),
      now,
    )
    if (ids.length < PAGE) return
    after = ids.at(-1) ?? after
  }
}

/** Takes in what happened in one repository without being told: pull requests opened and closed, branches deleted. */
export async function reconcile(app: App, repo_id: number, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_followed) return
  await asInstallation(app, ctx, async (client) => {
    const open = await openPullRequests(ctx, client)
    for (const [number, head_sha] of await knownOpen(ctx)) {
      const pr = open.get(number)
      if (!pr) await takeInClosed(app, ctx, client, number)
      else if (pr.head.sha === head_sha) open.delete(number)
    }
    await ask(
      ctx.db,
      [...open.values()].map((pr) => pullRequestJob(repo_id, pr, now)),
      now,
    )
    await takeInBranches(ctx, client)
  })
}

interface Listed {
  number: number
  head: { sha: string }
}

async function openPullRequests(ctx: RepoContext, client: Installation): Promise<Map<number, Listed>> {
  const open = new Map<number, Listed>()
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { data } = await client.rest.pulls.list({
      owner: ctx.repo.owner,
      repo: ctx.repo.name,
      state: 'open',
      per_page: PAGE,
      page,
    })
    for (const pr of data) open.set(pr.number, pr)
    if (data.length < PAGE) break
  }
  return open
}

/** The pull requests that are open as far as we know, and their head commits as far as we know them. */
async function knownOpen(ctx: RepoContext): Promise<Map<number, string | null>> {
  const known = new Map<number, string | null>()
  for (const number of await listFollowed(ctx.db, ctx.repo.id, ctx.now)) known.set(number, null)
  for (let after = 0; ; ) {
    const page = await listOpen(ctx.db, ctx.repo.id, { after, limit: PAGE })
    for (const { number, head_sha } of page) known.set(number, head_sha)
    if (page.length < PAGE) return known
    after = page.at(-1)?.number ?? after
  }
}

async function takeInClosed(app: App, ctx: RepoContext, client: Installation, number: number): Promise<void> {
  try {
    const { data } = await client.rest.pulls.get({
      owner: ctx.repo.owner,
      repo: ctx.repo.name,
      pull_number: number,
    })
    if (data.state === 'closed') await pullRequestChanged(app, ctx, pullRequestOf(data), 'closed')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function takeInBranches(ctx: RepoContext, client: Installation): Promise<void> {
  const branches = await listPushedBranches(ctx.db, ctx.repo.id, { now: ctx.now, limit: BRANCHES_MAX })
  for (const branch of branches) {
    try {
      await client.rest.repos.getBranch({ owner: ctx.repo.owner, repo: ctx.repo.name, branch })
    } catch (error) {
      if (!isGone(error)) throw error
      await deleteBranch(ctx, branch)
    }
  }
}
