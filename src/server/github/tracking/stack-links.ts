/**
 * Recognises stacks by the commits of pushed branches and by GitHub's own stacks
 * (docs/contract/overlap.md#stacks). A branch stays linked to the one that it was built on when either is pushed to again,
 * because a push does not list the commits that it leaves in place. A forced push, or another base branch of the pull
 * request, may take it off the stack: then a job compares the branch with its base, and drops the links that it has no
 * commit of.
 */

import { enqueue, jobOn } from '../../jobs/store.ts'
import { endBranch } from '../../records/activities/branches.ts'
import { listLive } from '../../records/activities/pull-request-store.ts'
import { enqueueRechecks } from '../../records/changes/changes.ts'
import { findOpenOn, listHeadsIn, listStack } from '../../records/pull-requests/store.ts'
import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { App } from '../../records/repositories/app.ts'
import { readGithub } from '../../records/repositories/reading.ts'
import { inTransaction, type RepoContext } from '../../records/repositories/repo.ts'
import {
  addCommits,
  addLinks,
  deleteLinksBelow,
  deleteLinksOf,
  doubtCommits,
  hasLinkBelow,
  listBranchesWith,
  replaceCommits,
  type ShownLink,
} from '../../records/stacks/store.ts'
import type { GithubPullRequest } from '../pull-request.ts'
import { compareBranches, ifFound } from '../repository-calls.ts'

/** The kind of job that checks the links of one branch. */
export const CHECK_LINKS = 'check_links'

/** The maximum number of commits of a push that are stored, the newest ones. */
const COMMITS_MAX = 250
/** The maximum number of branches that one event links with a branch, of each kind. */
const LINKS_MAX = 100
/** The minimum time between two checks of the links of one branch. */
const GAP_MS = 30_000

/** The commits of a push, as GitHub lists them: the oldest first. */
export interface PushedCommits {
  branch: string
  default_branch: string
  before: string
  after: string
  forced: boolean
  commits: readonly string[]
}

/**
 * Stores the commits of a push to a branch, not the default one, and links the branch to the pull requests that it is
 * built on.
 */
export async function linkPushedStack(ctx: RepoContext, push: PushedCommits): Promise<void> {
  const { db, repo, now } = ctx
  const { branch, default_branch, before, after, forced } = push
  const listed = push.commits.slice(-COMMITS_MAX)
  const shas = [after, ...listed, ...(forced ? [] : [before])].filter(isCommit)
  if (forced) await doubtCommits(db, repo.id, branch)
  await addCommits(db, repo.id, { branch, shas, now })
  await link(ctx, await linksBelow(ctx, branch), default_branch)
  if (forced && (await hasLinkBelow(db, repo.id, branch))) await enqueueCheck(ctx, branch, default_branch)
}

/** Ends the work on branches that a push to the default branch has merged. One call for each that may be. */
export async function endMerged(app: App, ctx: RepoContext, push: PushedCommits): Promise<void> {
  const { db, repo, now } = ctx
  const given = { shas: push.commits, branch: push.default_branch, limit: LINKS_MAX }
  for (const { branch } of await listBranchesWith(db, repo.id, given)) {
    const live = await listLive(db, repo.id, { branch }, now)
    if (live.every(({ pr_number }) => pr_number !== null)) continue
    const left = await readCommits(app, ctx, { base: push.default_branch, head: branch })
    if (left?.length === 0) await endBranch(ctx, branch, true)
  }
}

/** GitHub writes zeros for a ref that did not exist. */
function isCommit(sha: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) && !/^0+$/.test(sha)
}

/** Links an open pull request with the branches below and above it, if an event moved its head or its place in a stack. */
export async function linkPullRequestStack(
  ctx: RepoContext,
  pr: GithubPullRequest,
  before: PullRequestRow | undefined,
): Promise<void> {
  const { db, now, repo } = ctx
  const { branch, base_branch, head_sha, is_fork } = pr
  if (before && before.base_branch !== base_branch && !is_fork) {
    await enqueueCheck(ctx, branch, base_branch)
    // They are for the new base branch, too.
    await enqueueRechecks(ctx, await listLive(db, repo.id, { base_branch: branch }, now))
  }
  const stackBefore = before?.stack_number ?? null
  const hasMoved = before?.branch !== branch || before.head_sha !== head_sha
  const hasOtherStack = stackBefore !== pr.stack_number
  if (!hasMoved && !hasOtherStack && before.stack_position === pr.stack_position) return
  if (stackBefore !== null && hasOtherStack) await deleteLinksOf(db, repo.id, branch)
  const above = await listBranchesWith(db, repo.id, { shas: [head_sha], branch, limit: LINKS_MAX })
  const links = [
    ...above.map((each) => ({ ...each, base_branch: branch, sha: head_sha })),
    ...(await linksBelow(ctx, branch)),
    ...(await linksOfStack(ctx, pr)),
  ]
  await link(ctx, links, base_branch)
}

/** Keeps a merged pull request in the stack of those that are based on its branch: they are for its base branch, too. */
export async function keepMergedLink(
  { db, repo, now }: RepoContext,
  { branch, base_branch, is_fork }: Pick<GithubPullRequest, 'branch' | 'base_branch' | 'is_fork'>,
): Promise<void> {
  if (is_fork || (await listLive(db, repo.id, { base_branch: branch }, now)).length === 0) return
  await addLinks(db, repo.id, [{ branch, base_branch, sha: null }], now)
}

/** Puts the new name of a branch below the former one, which declared work and clones that were not updated still name. */
export async function linkRenamed(ctx: RepoContext, branch: string, base_branch: string): Promise<void> {
  const { db, repo, now } = ctx
  await addLinks(db, repo.id, [{ branch, base_branch, sha: null }], now)
  await enqueueRechecks(ctx, await listLive(db, repo.id, { base_branch: branch }, now))
}

/** Enqueues a recheck of the open pull requests whose heads a merged branch has: their work may be done. */
export async function recheckBelow(
  ctx: RepoContext,
  { branch, is_fork }: Pick<GithubPullRequest, 'branch' | 'is_fork'>,
): Promise<void> {
  const below = is_fork ? [] : await linksBelow(ctx, branch)
  for (const { base_branch } of below) await recheckBranch(ctx, base_branch)
}

/** A link; `is_uncertain`: the commit that shows it was stored before a forced push. */
type FoundLink = ShownLink & { is_uncertain: boolean }

async function linksBelow({ db, repo }: RepoContext, branch: string): Promise<FoundLink[]> {
  const heads = await listHeadsIn(db, repo.id, { branch, limit: LINKS_MAX })
  return heads.map(({ branch: base_branch, ...head }) => ({ branch, base_branch, ...head }))
}

type InStack = Pick<GithubPullRequest, 'branch' | 'stack_number' | 'stack_position'>

/** Each pull request of a stack is built on all below it. */
async function linksOfStack(
  { db, repo }: RepoContext,
  { branch, stack_number, stack_position: position }: InStack,
): Promise<FoundLink[]> {
  if (stack_number === null || position === null) return []
  const shown = { sha: null, is_uncertain: false }
  const others = await listStack(db, repo.id, { stack_number, limit: LINKS_MAX })
  return others.flatMap((other) => {
    if (other.branch === null || other.stack_position === null || other.stack_position === position) return []
    return other.stack_position < position
      ? { branch, base_branch: other.branch, ...shown }
      : { branch: other.branch, base_branch: branch, ...shown }
  })
}

/**
 * Stores links, and enqueues rechecks for the activities on newly linked branches, whose collisions may not be collisions
 * any more. `base`: what to compare a branch with whose link is uncertain and that has no pull request.
 */
async function link(ctx: RepoContext, links: FoundLink[], base: string): Promise<void> {
  const added = await addLinks(ctx.db, ctx.repo.id, links, ctx.now)
  for (const branch of new Set(added.map((each) => each.branch))) await recheckBranch(ctx, branch)
  const uncertain = links.filter(({ is_uncertain }) => is_uncertain)
  for (const branch of new Set(uncertain.map((each) => each.branch))) await enqueueCheck(ctx, branch, base)
}

async function recheckBranch(ctx: RepoContext, branch: string): Promise<void> {
  await enqueueRechecks(ctx, await listLive(ctx.db, ctx.repo.id, { branch }, ctx.now))
}

/** A branch whose links to those below it are checked. `base`: what to compare it with if it has no pull request. */
type LinkCheck = { branch: string; base: string }

async function enqueueCheck({ db, repo, now }: RepoContext, branch: string, base: string): Promise<void> {
  const payload: LinkCheck = { branch, base }
  const job = jobOn(repo, CHECK_LINKS, { about: branch, priority: 'live', payload, run_at: now })
  await enqueue(db, [job], now, { gap_ms: GAP_MS })
}

/** Compares a branch with its base, and drops the links below it that none of its commits shows. One call. */
export async function checkLinks(app: App, ctx: RepoContext, { branch, base }: LinkCheck): Promise<void> {
  const pull = await findOpenOn(ctx.db, ctx.repo.id, branch)
  const base_branch = pull?.base_branch ?? base
  const shas = await readCommits(app, ctx, { base: base_branch, head: branch })
  if (!shas) return
  await inTransaction(ctx, async (within) => {
    const { db, repo, now } = within
    await replaceCommits(db, repo.id, { branch, shas, now })
    const inStack = pull ? await linksOfStack(within, { ...pull, branch }) : []
    const shown = [...(await linksBelow(within, branch)), ...inStack]
    await link(within, shown, base_branch)
    const kept = shown.map((each) => each.base_branch)
    if (await deleteLinksBelow(db, repo.id, { branch, kept, shas })) await recheckBranch(within, branch)
  })
}

/** The commits that `head` has and `base` has not; undefined if one of the branches was deleted. */
async function readCommits(
  app: App,
  ctx: RepoContext,
  compared: { base: string; head: string },
): Promise<string[] | undefined> {
  const reading = readGithub(app, ctx, (reader, { repo }) => compareBranches(reader, repo, compared))
  return (await ifFound(reading))?.commits
}
