/** Pull requests and branches. */
import {
  accountId,
  actorBody,
  forkOf,
  type Json,
  nodeId,
  ownerBody,
  pullPart,
  repositoryBody,
  webUrl,
} from './github-bodies.ts'
import { commitBody } from './github-commits.ts'
import { digest, type GithubResponse, json, notFound, paged } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import {
  defaultBranch,
  type GithubRepository,
  type GithubState,
  ownerOf,
  type PullRequest,
  type RepositoryContents,
  sameName,
} from './github-state.ts'

export function contentsOf(state: GithubState, repository: GithubRepository): RepositoryContents {
  const known = state.repository_contents.get(repository.id)
  if (known) return known
  const sha = digest(`first commit of ${repository.id}`).slice(0, 40)
  const made: RepositoryContents = {
    branches: new Map([[defaultBranch(repository), sha]]),
    commits: new Map([[sha, {}]]),
    parents: new Map([[sha, []]]),
    messages: new Map(),
    pulls: [],
    comments: [],
    check_runs: [],
  }
  state.repository_contents.set(repository.id, made)
  return made
}

export function pullNumbered({ state, repository, params }: RepositoryRouteContext): PullRequest | undefined {
  return contentsOf(state, repository).pulls.find(({ number }) => String(number) === params.number)
}

/** As `pullNumbered`, for a test that knows that there is one. */
export function pullOf(state: GithubState, repository: GithubRepository, number: number): PullRequest {
  const pull = contentsOf(state, repository).pulls.find((known) => known.number === number)
  if (!pull) throw new Error(`no pull request ${number} in ${repository.full_name} on this GitHub`)
  return pull
}

const READ = ['pull_requests=read']

export const pullRoutes: RepositoryRoute[] = [
  { route: 'GET /pulls', needs: READ, answer: list },
  {
    route: 'GET /pulls/{number}',
    needs: READ,
    answer: (context) => {
      const pull = pullNumbered(context)
      return pull ? json(200, pullBody(context.state, context.repository, pull)) : notFound()
    },
  },
  {
    route: 'GET /branches/{branch+}',
    needs: ['contents=read'],
    answer: (context) => {
      const { state, repository, params } = context
      const { branches, renamed } = contentsOf(state, repository)
      const asked = params.branch as string
      // As GitHub's redirect does.
      const name = renamed?.get(asked) ?? asked
      const sha = branches.get(name)
      if (!sha) return notFound('Branch not found')
      const self = `${state.api_url}/repos/${repository.full_name}`
      const links = {
        self: `${self}/branches/${name}`,
        html: `${webUrl(state)}/${repository.full_name}/tree/${name}`,
      }
      const commit = commitBody(state, repository, sha)
      const protection = { enabled: false, required_status_checks: { contexts: [], checks: [] } }
      const protection_url = `${links.self}/protection`
      return json(200, { name, commit, _links: links, protected: false, protection, protection_url })
    },
  },
]

function list(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, query } = context
  const asked = query.get('state') ?? 'open'
  const head = query.get('head')
  const matches = (pull: PullRequest) =>
    (asked === 'all' || pull.state === asked) &&
    // As on GitHub, a head without its owner filters nothing.
    (!head?.includes(':') || sameOwner(head, `${pull.head.owner}:${pull.head.ref}`))

  const by = query.get('sort') === 'updated' ? 'updated_at' : 'created_at'
  // In the direction `desc`, which is the default unless the list is sorted.
  const ordered = contentsOf(state, repository)
    .pulls.filter(matches)
    .sort((one, other) => Date.parse(other[by]) - Date.parse(one[by]) || other.number - one.number)
  return paged(context, ordered, (page) => page.map((pull) => pullSummary(state, repository, pull)))
}

/** Logins are case-insensitive, branches are case-sensitive. */
function sameOwner(one: string, other: string): boolean {
  const [owner = '', ...ref] = one.split(':')
  const [itsOwner = '', ...itsRef] = other.split(':')
  return sameName(owner, itsOwner) && ref.join(':') === itsRef.join(':')
}

/** What a list leaves out. */
const UNLISTED =
  `merged mergeable rebaseable mergeable_state merged_by comments review_comments maintainer_can_modify
  commits additions deletions changed_files`.split(/\s+/)

/** The pull request in a list. */
function pullSummary(state: GithubState, repository: GithubRepository, pull: PullRequest): Json {
  const { author, head: _, base, labels, assignees, files, mergeable, merged_by, ...own } = pull
  const users = assignees.map((login) => actorBody(state, { login, type: 'User' }))
  const example = Object.entries(pullPart(state, repository.full_name, pull))
  return {
    ...Object.fromEntries(example.filter(([name]) => !UNLISTED.includes(name))),
    ...own,
    node_id: nodeId('PR', pull.id),
    user: actorBody(state, author),
    assignee: users[0] ?? null,
    assignees: users,
    labels: labels.map((name) => labelBody(state, repository, name)),
    head: headBody(state, repository, pull),
    base: {
      label: `${ownerOf(repository)}:${base.ref}`,
      ref: base.ref,
      sha: base.sha,
      user: ownerBody(state, ownerOf(repository)),
      repo: repositoryBody(state, repository),
    },
    auto_merge: null,
    active_lock_reason: null,
  }
}

/** The pull request by itself and in webhooks. */
export function pullBody(state: GithubState, repository: GithubRepository, pull: PullRequest): Json {
  const comments = contentsOf(state, repository).comments.filter(({ number }) => number === pull.number)
  return {
    ...pullSummary(state, repository, pull),
    merged: pull.merged_at !== null,
    mergeable: pull.state === 'open' ? pull.mergeable : null,
    rebaseable: pull.state === 'open' ? pull.mergeable : null,
    mergeable_state: mergeableState(pull),
    merged_by: pull.merged_by && actorBody(state, pull.merged_by),
    comments: comments.length,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: 1,
    additions: pull.files.length,
    deletions: 0,
    changed_files: pull.files.length,
  }
}

function headBody(state: GithubState, repository: GithubRepository, { head }: PullRequest): Json {
  const isFork = head.repository !== repository.full_name
  const repo = head.repository === null ? null : isFork ? forkOf(repository, head.repository) : repository
  return {
    label: `${head.owner}:${head.ref}`,
    ref: head.ref,
    sha: head.sha,
    user: isFork ? actorBody(state, { login: head.owner }) : ownerBody(state, head.owner),
    repo: repo && repositoryBody(state, repo),
  }
}

export function labelBody(state: GithubState, repository: GithubRepository, name: string): Json {
  const id = accountId(`${repository.id}/${name}`)
  return {
    id,
    node_id: nodeId('LA', id),
    url: `${state.api_url}/repos/${repository.full_name}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: null,
  }
}

function mergeableState({ state, mergeable, draft }: PullRequest): string {
  if (state !== 'open' || mergeable === null) return 'unknown'
  if (!mergeable) return 'dirty'
  return draft ? 'draft' : 'clean'
}
