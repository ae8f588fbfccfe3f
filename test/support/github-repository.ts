/** One repository of the fake GitHub: opens pull requests, pushes, merges, writes files and comments. */
import { contentsOf, pullOf } from './github-pulls.ts'
import { digest } from './github-reply.ts'
import {
  type Actor,
  type Comment,
  defaultBranch,
  type GithubRepository,
  type GithubState,
  nextId,
  ownerOf,
  type PullFile,
  type PullRequest,
  type Tree,
  timestamp,
} from './github-state.ts'

/** A path alone stands for a modified file. */
export type FileGiven = string | PullFile

type AsItIs = 'number' | 'title' | 'body' | 'draft' | 'locked' | 'author_association' | 'mergeable'

/** By default the next one, which is open now, by a contributor, and can be merged. */
export interface PullGiven
  extends Partial<Pick<PullRequest, AsItIs | 'labels' | 'assignees' | 'created_at'>> {
  /** A branch of this repository, or of a fork as in `eve:patch-1`. Default `feature-<number>`. */
  head?: string
  /** Default: the default branch. */
  base?: string
  /** The fork was deleted: `head.repo` is null. */
  fork_deleted?: boolean
  author?: Actor | string
  files?: FileGiven[]
}

export interface Push {
  ref: string
  before: string
  after: string
}

export type FakeRepository = ReturnType<typeof fakeRepository>

/** The next request sees every change. No change sends a webhook (see `webhooks.ts`). */
export function fakeRepository(state: GithubState, repository: GithubRepository) {
  const contents = contentsOf(state, repository)
  const now = () => timestamp(state.now())
  const tip = (branch: string): string => {
    const known = contents.branches.get(branch)
    if (known) return known
    const parent = mainHead()
    return commit(branch, contents.commits.get(parent) ?? {}, parent)
  }
  const mainHead = () => contents.branches.get(defaultBranch(repository)) as string
  /** Without a branch. */
  const addCommit = (tree: Tree, parent: string): string => {
    const sha = digest(`commit ${nextId(state)}`).slice(0, 40)
    contents.commits.set(sha, tree)
    contents.parents.set(sha, [parent])
    return sha
  }
  const commit = (branch: string, tree: Tree, parent: string): string => {
    const sha = addCommit(tree, parent)
    contents.branches.set(branch, sha)
    return sha
  }
  const isHere = ({ head }: PullRequest, branch: string) =>
    head.repository === repository.full_name && head.ref === branch

  const githubRepo = {
    repository,
    open(given: PullGiven = {}): PullRequest {
      const number = given.number ?? Math.max(0, ...contents.pulls.map((known) => known.number)) + 1
      const created_at = given.created_at ?? now()
      const base = given.base ?? defaultBranch(repository)
      const pull: PullRequest = {
        id: repository.id * 100_000 + number,
        number,
        title: given.title ?? `Pull request ${number}`,
        body: given.body ?? null,
        state: 'open',
        draft: given.draft ?? false,
        locked: given.locked ?? false,
        author_association: given.author_association ?? 'CONTRIBUTOR',
        mergeable: given.mergeable === undefined ? true : given.mergeable,
        author: actor(given.author ?? 'octocat'),
        head: headOf(given.head ?? `feature-${number}`, given.fork_deleted ?? false),
        base: { ref: base, sha: tip(base) },
        labels: given.labels ?? [],
        assignees: given.assignees ?? [],
        files: (given.files ?? []).map(file),
        created_at,
        updated_at: created_at,
        closed_at: null,
        merged_at: null,
        merged_by: null,
        merge_commit_sha: null,
      }
      contents.pulls = [...contents.pulls.filter((known) => known.number !== number), pull]
      return pull
    },
    pull: (number: number): PullRequest => pullOf(state, repository, number),
    /** Title, body, base, draft, labels, files, locked and timestamps, as `open` takes them. */
    update(
      number: number,
      { files, base, author, created_at, fork_deleted, ...changes }: Omit<PullGiven, 'number' | 'head'>,
    ): PullRequest {
      const pull = githubRepo.pull(number)
      if (files) pull.files = files.map(file)
      if (base) pull.base = { ref: base, sha: tip(base) }
      if (author) pull.author = actor(author)
      if (fork_deleted) pull.head.repository = null
      return Object.assign(pull, changes, created_at && { created_at }, { updated_at: now() })
    },
    close: (number: number): PullRequest =>
      Object.assign(githubRepo.pull(number), { state: 'closed', closed_at: now(), updated_at: now() }),
    reopen: (number: number): PullRequest =>
      Object.assign(githubRepo.pull(number), { state: 'open', closed_at: null, updated_at: now() }),
    merge(number: number, by = 'octocat'): PullRequest {
      const pull = githubRepo.close(number)
      const merge_commit_sha = githubRepo.push(pull.base.ref).after
      contents.parents.get(merge_commit_sha)?.push(pull.head.sha)
      return Object.assign(pull, { merged_at: pull.closed_at, merged_by: actor(by), merge_commit_sha })
    },
    /**
     * Commits to a branch, which is created if necessary; null deletes a file. Updates the head of its open pull requests.
     * `onto`: the commit to build on instead of the head of the branch, as a forced push does.
     */
    push(
      branch: string,
      files: Record<string, string | null> = {},
      onto = contents.branches.get(branch) ?? mainHead(),
    ): Push {
      const before = contents.branches.get(branch) ?? '0'.repeat(40)
      const tree = { ...contents.commits.get(onto) }
      for (const [path, text] of Object.entries(files)) {
        if (text === null) delete tree[path]
        else tree[path] = text
      }
      const after = commit(branch, tree, onto)
      for (const pull of contents.pulls) {
        if (pull.state !== 'open' || !isHere(pull, branch)) continue
        pull.head.sha = after
        pull.updated_at = now()
      }
      return { ref: `refs/heads/${branch}`, before, after }
    },
    /** Pushes to the head of a pull request, also in a fork. */
    pushTo(number: number): Push {
      const { head } = githubRepo.pull(number)
      if (head.repository === repository.full_name) return githubRepo.push(head.ref)
      const before = head.sha
      head.sha = addCommit({}, before)
      githubRepo.pull(number).updated_at = now()
      return { ref: `refs/heads/${head.ref}`, before, after: head.sha }
    },
    /** Pushes one file to the default branch; null deletes it. */
    write: (path: string, text: string | null): Push =>
      githubRepo.push(defaultBranch(repository), { [path]: text }),
    branches: () => [...contents.branches.keys()],
    /** Closes the open pull requests from that branch, as GitHub does. Returns its last commit. */
    deleteBranch(branch: string): string {
      const sha = contents.branches.get(branch)
      if (!sha) throw new Error(`no branch ${branch} in ${repository.full_name} on this GitHub`)
      contents.branches.delete(branch)
      for (const pull of contents.pulls)
        if (pull.state === 'open' && isHere(pull, branch)) githubRepo.close(pull.number)
      return sha
    },
    renameBranch(from: string, to: string): void {
      contents.branches.set(to, githubRepo.deleteBranch(from))
      contents.renamed = new Map([...(contents.renamed ?? []), [from, to]])
    },
    /** Adds a comment by any user, or by another App with the slug `app`. */
    comment(number: number, { author, body, app }: { author: Actor | string; body: string; app?: string }) {
      const at = { created_at: now(), updated_at: now() }
      const id = nextId(state)
      const comment: Comment = {
        id,
        number: githubRepo.pull(number).number,
        author: actor(author),
        app: app ?? null,
        body,
        reactions: { '+1': 0, '-1': 0 },
        ...at,
      }
      contents.comments.push(comment)
      return comment
    },
    /** The comments on a pull request, oldest first. */
    comments: (number: number) => contents.comments.filter((comment) => comment.number === number),
    removeComment(id: number) {
      contents.comments = contents.comments.filter((comment) => comment.id !== id)
    },
    /** Oldest first, annotations included. */
    checkRuns: () => [...contents.check_runs],
  }

  function headOf(head: string, isGone: boolean): PullRequest['head'] {
    const [owner, ref] = head.includes(':')
      ? (head.split(':') as [string, string])
      : [ownerOf(repository), head]
    if (owner === ownerOf(repository)) return { owner, repository: repository.full_name, ref, sha: tip(ref) }
    // The commits of a fork are also in the repository, under refs/pull.
    const sha = addCommit({}, mainHead())
    const name = repository.full_name.split('/')[1]
    return { owner, repository: isGone ? null : `${owner}/${name}`, ref, sha }
  }
  return githubRepo
}

const actor = (given: Actor | string): Actor => (typeof given === 'string' ? { login: given } : given)
const file = (given: FileGiven): PullFile =>
  typeof given === 'string' ? { filename: given, status: 'modified' } : given
