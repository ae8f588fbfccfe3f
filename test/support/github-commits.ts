/** The JSON of a commit. The fake GitHub keeps its tree only, so that all have one author and no parents. */
import { accountId, actorBody, type Json, nodeId, webUrl } from './github-bodies.ts'
import { digest } from './github-reply.ts'
import type { GithubRepository, GithubState } from './github-state.ts'

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
      message: 'A commit',
      tree: { sha: tree, url: `${self}/git/trees/${tree}` },
      comment_count: 0,
    },
    author,
    committer: author,
    parents: [],
  }
}
