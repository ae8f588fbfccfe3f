/** The JSON of a commit, and its ancestors. The fake GitHub keeps no authors, so that all have the same. */
import { accountId, actorBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { digest } from './github-reply.ts'
import type { GithubRepository, GithubState, RepositoryContents } from './github-state.ts'

const AUTHOR = {
  name: 'The Octocat',
  email: 'octocat@users.noreply.github.com',
  date: '2026-01-15T08:00:00Z',
}

export function commitBody(state: GithubState, repository: GithubRepository, sha: string): Json {
  const self = `${state.api_url}/repos/${repository.full_name}`
  const url = `${self}/commits/${sha}`
  const tree = digest(`tree of ${sha}`).slice(0, 40)
  const author = actorBody(state, { login: 'octocat' })
  const contents = state.repository_contents.get(repository.id)
  return {
    sha,
    node_id: nodeId('C', accountId(sha)),
    url,
    html_url: `${webUrl(state)}/${repository.full_name}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      url: `${self}/git/commits/${sha}`,
      author: AUTHOR,
      committer: AUTHOR,
      message: contents?.messages.get(sha) ?? 'A commit',
      tree: { sha: tree, url: `${self}/git/trees/${tree}` },
      comment_count: 0,
    },
    author,
    committer: author,
    parents: (contents?.parents.get(sha) ?? []).map((parent) => ({
      sha: parent,
      url: `${self}/commits/${parent}`,
      html_url: `${webUrl(state)}/${repository.full_name}/commit/${parent}`,
    })),
  }
}

/** A commit and its ancestors, the newest first. */
export function ancestorsOf({ parents }: RepositoryContents, sha: string): string[] {
  const found = new Set([sha])
  for (const each of found) for (const parent of parents.get(each) ?? []) found.add(parent)
  return [...found]
}
