/** What events of pull requests and branches mean (contract §5, automatic moves). Surfaces translate their payloads to these. */
import {
  closePullRequest,
  linkPullRequest,
  type Refresh,
  refreshPullRequest,
  trackPullRequest,
} from '../activities/automatic.ts'
import { listLiveOf, listUntracked } from '../activities/pull-request-store.ts'
import type { App } from '../context/app.ts'
import {
  beginToFollow,
  type FollowedRepository,
  follow,
  installationOf,
  refreshSettings,
} from '../context/following.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { isNotFound, listChangedFiles, reportCheckRun } from '../github/client.ts'
import { type GithubPullRequest, parsePullRequest } from '../github/pull-request.ts'
import { ask } from '../jobs/store.ts'
import { settingsRunOf } from './check-run.ts'
import { MUTE_LABEL } from './comment.ts'
import { asInstallation, isInstalled, isSuspended, unlessRefused } from './installation.ts'
import { enqueueAllRechecks, recheckJob } from './recheck.ts'
import { type Facts, findPullRequest, forgetRefusals, savePullRequest, seePullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

/**
 * What happened. `files`: its commits changed; `seen`: nothing that was told, it is looked up; `other`: labels, and
 * whatever else leaves activities alone.
 */
export type PullRequestEvent =
  | 'opened'
  | 'reopened'
  | 'draft'
  | 'files'
  | 'edited'
  | 'closed'
  | 'unlocked'
  | 'seen'
  | 'other'

/**
 * Opens the repository that an event comes from; the first one also reads its settings. Where the event names it
 * otherwise than it is known, GitHub is asked: the event may be older than the name that is known.
 */
export async function openFollowed(
  app: App,
  repository: FollowedRepository,
  now: Date,
): Promise<RepoContext> {
  const known = await openKnownRepo(app, repository.id, now)
  const { id, owner, name, installation_id } = repository
  const isSame =
    known?.repo.installation_id === installation_id && known.repo.owner === owner && known.repo.name === name
  if (known && isSame) return known
  if (known?.repo.is_followed) {
    // That an installation can read a repository does not make it the repository's own: anybody reads a public one.
    const isOther = known.repo.installation_id !== installation_id
    if (isOther && (await installationOf(app, repository)) !== installation_id) return known
    const present = await presentNameOf(app, repository)
    if (!present) return known
    await follow(app, { id, ...present, installation_id }, now)
  } else {
    // A delivery from before the app was taken off may come after that.
    if (known && !(await isInstalled(app, repository))) return known
    await beginToFollow(app, { id, owner, name, installation_id }, now)
  }
  return (await openKnownRepo(app, id, now)) as RepoContext
}

/** The name that GitHub knows a repository by; undefined where the installation that an event names has it no more. */
async function presentNameOf(
  app: App,
  { id, owner, name, installation_id }: FollowedRepository,
): Promise<{ owner: string; name: string } | undefined> {
  try {
    const client = await app.github_app?.probot.auth(installation_id)
    // An earlier name redirects, unless another repository has it by now.
    const found = await client?.rest.repos.get({ owner, repo: name })
    return found?.data.id === id ? { owner: found.data.owner.login, name: found.data.name } : undefined
  } catch (error) {
    if (isNotFound(error) || isSuspended(error)) return undefined
    throw error
  }
}

/**
 * Takes in an event of a pull request. One that a newer event has overtaken changes nothing; where its effect was still
 * to come, because GitHub did not answer, the newer one brings it.
 */
export async function pullRequestChanged(
  app: App,
  ctx: RepoContext,
  told: GithubPullRequest,
  happened: PullRequestEvent,
): Promise<void> {
  const { db, now, repo } = ctx
  const before = await findPullRequest(db, repo.id, told.number)
  const isTied = before?.changed_at.getTime() === told.changed_at.getTime() && before.is_open !== told.is_open
  // GitHub's clock, of whole seconds, does not tell whether a close or a reopening came last.
  const present = isTied ? await presentOf(app, ctx, told.number) : undefined
  // GitHub's answer may be older than its event.
  const asked = present && present.changed_at >= told.changed_at ? present : undefined
  const pr = asked ?? told
  const event = asked ? (asked.is_open ? 'reopened' : 'closed') : happened
  if (MAY_BE_UNLOCKED.has(event)) await forgetRefusals(db, repo.id, pr.number)
  if (!(await seePullRequest(db, repo.id, factsOf(pr), event === 'reopened'))) {
    // The newer event took in all but the title.
    if (event === 'edited') await takeInAgain(app, ctx, pr.number)
    return
  }
  if (pr.is_open) await bringEffect(app, ctx, { pr, event, before })
  // One that was closed long ago has nothing to do with the work that goes on in its branch.
  else if (event === 'closed' || before?.is_open) await closePullRequest(ctx, pr, pr.is_merged)
  const title = TAKES_TITLE.has(event) ? { title: pr.title } : {}
  await savePullRequest(db, repo.id, pr.number, { is_behind: false, ...title })
  const stored = await findPullRequest(db, repo.id, pr.number)
  if (stored?.is_open) await ask(db, [recheckJob(repo.id, stored, now)], now)
}

/** With these, the activity gets the title of now where that has changed. */
const TAKES_TITLE: ReadonlySet<PullRequestEvent> = new Set(['opened', 'reopened', 'edited', 'seen'])

/** After these, GitHub may take what it refused before. */
const MAY_BE_UNLOCKED: ReadonlySet<PullRequestEvent> = new Set(['unlocked', 'seen'])

/** What an event of an open pull request does to activities. */
async function bringEffect(
  app: App,
  ctx: RepoContext,
  {
    pr,
    event,
    before,
  }: { pr: GithubPullRequest; event: PullRequestEvent; before: PullRequestRow | undefined },
): Promise<void> {
  const isNew = event === 'opened' || event === 'reopened' || before?.is_open === false
  const isUntracked = await lacksActivity(ctx, pr.number)
  // No other event may change a title: somebody may have given the activity another one. A lookup finds an edit that was missed.
  const isRetitled = event === 'seen' && before?.title != null && before.title !== pr.title
  const title = event === 'edited' || isRetitled
  if (isNew || isUntracked || before?.is_behind) return takeIn(app, ctx, pr, { title })
  // Against another base, other files are changed.
  const isRetargeted = before?.base_branch != null && before.base_branch !== pr.base_branch
  const isMoved = isRetargeted || (before !== undefined && before.head_sha !== pr.head_sha)
  if (event === 'draft' || (before && before.is_draft !== pr.is_draft)) await linkPullRequest(ctx, pr)
  const words = { title, base_branch: title || isRetargeted }
  if (event === 'files' || isMoved) await refreshWithFiles(app, ctx, pr, words)
  else if (event === 'edited' || event === 'seen')
    await refreshPullRequest(ctx, pr, { ...words, paths: null })
}

async function lacksActivity({ db, repo, now }: RepoContext, number: number): Promise<boolean> {
  return (await listUntracked(db, repo.id, { numbers: [number], now })).length > 0
}

/** Takes in the pull request as GitHub has it, if it is open. */
async function takeInAgain(app: App, ctx: RepoContext, number: number): Promise<void> {
  const present = await presentOf(app, ctx, number)
  if (present?.is_open) await pullRequestChanged(app, ctx, present, 'seen')
}

/**
 * Takes in a pull request whose declared activity has ended, if it is open and no other activity is there for it: that
 * somebody is done with what they declared does not end the tracking. One or two calls.
 */
export async function trackAgain(app: App, ctx: RepoContext, number: number): Promise<void> {
  if (!ctx.settings.track_pull_requests || !(await lacksActivity(ctx, number))) return
  await takeInAgain(app, ctx, number)
}

/** The pull request as GitHub has it; undefined where GitHub does not know it. One call. */
async function presentOf(app: App, ctx: RepoContext, number: number): Promise<GithubPullRequest | undefined> {
  const { owner, name } = ctx.repo
  try {
    return await asInstallation(app, ctx, async (client) =>
      parsePullRequest((await client.rest.pulls.get({ owner, repo: name, pull_number: number })).data),
    )
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The settings file may have changed: everything is compared anew, and what is wrong with it is told on the commit, where there is one. */
export async function settingsChanged(app: App, ctx: RepoContext, sha: string | null): Promise<void> {
  const { installation_id } = ctx.repo
  if (installation_id === null) return
  await asInstallation(app, ctx, async (client) => {
    const stored = await refreshSettings(app, { ...ctx.repo, installation_id })
    // The settings decide which paths and areas collide.
    ctx.announceChange()
    const refreshed = await openKnownRepo(app, ctx.repo.id, ctx.now)
    if (refreshed) await enqueueAllRechecks(refreshed)
    const problems = stored?.settings_errors ?? []
    if (sha === null || problems.length === 0) return
    await unlessRefused(app, ctx, () => reportCheckRun(client, ctx.repo, settingsRunOf(sha, problems)))
  })
}

/** The repository takes words again: what it refused while it was archived is told now. */
export async function repositoryUnarchived(ctx: RepoContext): Promise<void> {
  await forgetRefusals(ctx.db, ctx.repo.id)
  await enqueueAllRechecks(ctx)
}

/** Ties an open pull request to its activities, or makes one from it. */
async function takeIn(
  app: App,
  ctx: RepoContext,
  pr: GithubPullRequest,
  { title }: { title: boolean },
): Promise<void> {
  const linked = await linkPullRequest(ctx, pr)
  if (linked.some((row) => row.source === 'pull_request'))
    await refreshWithFiles(app, ctx, pr, { title, base_branch: true })
  if (linked.length > 0 || !ctx.settings.track_pull_requests) return
  const files = await listFiles(app, ctx, pr)
  if (files) await trackPullRequest(ctx, pr, files)
}

async function refreshWithFiles(
  app: App,
  ctx: RepoContext,
  pr: GithubPullRequest,
  words: Omit<Refresh, 'paths'>,
): Promise<void> {
  const live = await listLiveOf(ctx.db, ctx.repo.id, pr.number, ctx.now)
  const isTracked = live.some((row) => row.source === 'pull_request')
  const paths = isTracked ? await listFiles(app, ctx, pr) : undefined
  await refreshPullRequest(ctx, pr, { ...words, paths: paths ?? null })
}

function listFiles(app: App, ctx: RepoContext, pr: GithubPullRequest): Promise<string[] | undefined> {
  return asInstallation(app, ctx, (client) => listChangedFiles(client, ctx.repo, pr.number))
}

function factsOf(pr: GithubPullRequest): Facts & { title: string } {
  const { number, title, is_open, is_draft, is_bot, head_sha, base_branch, opened_at, changed_at } = pr
  return {
    number,
    title,
    is_open,
    is_draft,
    is_bot,
    is_muted: pr.labels.includes(MUTE_LABEL),
    head_sha,
    base_branch,
    opened_at,
    changed_at,
  }
}
