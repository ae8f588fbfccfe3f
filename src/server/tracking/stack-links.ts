/**
 * Recognises stacks by the commits of pushed branches and by GitHub's own stacks
 * (docs/contract/overlap.md#stacks). A branch stays linked to the one that it was built on when either is pushed to again,
 * because a push does not list the commits that it leaves in place.
 */
import { hasLiveOnBase, listLiveOnBranch } from '../activities/pull-request-store.ts'
import { enqueueRechecks } from '../announcements/announcements.ts'
import type { GithubPullRequest } from '../github/pull-request.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { addCommits, addLinks, deleteLinksOf, listBranchesWith } from '../stacks/store.ts'
import type { BranchLink } from '../stacks/table.ts'
import { listHeadsIn, listStack } from './stack-links-store.ts'

/** The maximum number of commits of a push that are stored, the newest ones. */
const COMMITS_MAX = 250
/** The maximum number of branches that one event links with a branch, of each kind. */
const LINKS_MAX = 100

/** The commits of a push, as GitHub lists them: the oldest first. */
export interface PushedCommits {
  branch: string
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
  const { branch, before, after, forced } = push
  const listed = push.commits.slice(-COMMITS_MAX)
  const shas = [after, ...listed, ...(forced ? [] : [before])].filter(isCommit)
  await addCommits(ctx.db, ctx.repo.id, { branch, shas, now: ctx.now })
  await link(ctx, await linksBelow(ctx, branch))
}

/** GitHub writes zeros for a ref that did not exist. */
function isCommit(sha: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) && !/^0+$/.test(sha)
}

/** Links an open pull request with the branches below and above it, if an event moved its head or its place in a stack. */
export async function linkPullRequestStack(
  ctx: RepoContext,
  { branch, head_sha, stack }: GithubPullRequest,
  before: PullRequestRow | undefined,
): Promise<void> {
  const { db, repo } = ctx
  const stackBefore = before?.stack_number ?? null
  const hasMoved = before?.branch !== branch || before.head_sha !== head_sha
  const hasOtherPlace =
    stackBefore !== (stack?.number ?? null) || (before?.stack_position ?? null) !== (stack?.position ?? null)
  if (!hasMoved && !hasOtherPlace) return
  if (stackBefore !== null && stackBefore !== stack?.number) await deleteLinksOf(db, repo.id, branch)
  const above = await listBranchesWith(db, repo.id, { sha: head_sha, branch, limit: LINKS_MAX })
  await link(ctx, [
    ...above.map((each) => ({ branch: each, base_branch: branch })),
    ...(await linksBelow(ctx, branch)),
    ...(stack ? await linksOfStack(ctx, { branch, ...stack }) : []),
  ])
}

/** Keeps a merged pull request in the stack of those that are based on its branch: they are for its base branch, too. */
export async function keepMergedLink(
  { db, repo, now }: RepoContext,
  { branch, base_branch, is_fork }: Pick<GithubPullRequest, 'branch' | 'base_branch' | 'is_fork'>,
): Promise<void> {
  if (is_fork || !(await hasLiveOnBase(db, repo.id, branch, now))) return
  await addLinks(db, repo.id, [{ branch, base_branch }], now)
}

async function linksBelow({ db, repo }: RepoContext, branch: string): Promise<BranchLink[]> {
  const heads = await listHeadsIn(db, repo.id, { branch, limit: LINKS_MAX })
  return heads.map((base_branch) => ({ branch, base_branch }))
}

/** Each pull request of a stack is built on all below it. */
async function linksOfStack(
  { db, repo }: RepoContext,
  { branch, number, position }: { branch: string; number: number; position: number },
): Promise<BranchLink[]> {
  const others = await listStack(db, repo.id, { stack_number: number, limit: LINKS_MAX })
  return others.flatMap((other) => {
    if (other.branch === null || other.stack_position === null || other.stack_position === position) return []
    return other.stack_position < position
      ? { branch, base_branch: other.branch }
      : { branch: other.branch, base_branch: branch }
  })
}

/**
 * Stores links, and enqueues rechecks for the activities on newly linked branches, whose collisions may not be collisions
 * any more.
 */
async function link(ctx: RepoContext, links: BranchLink[]): Promise<void> {
  const { db, repo, now } = ctx
  const added = await addLinks(db, repo.id, links, now)
  for (const branch of new Set(added.map((each) => each.branch))) {
    const live = await listLiveOnBranch(db, repo.id, branch, now)
    await enqueueRechecks(
      ctx,
      live.map(({ id }) => id),
    )
  }
}
