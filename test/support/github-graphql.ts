/** GitHub's GraphQL API, as far as the service asks it: repositories by their names, with files of their default branch. */
import { contentsOf } from './github-pulls.ts'
import { type GithubResponse, json } from './github-reply.ts'
import type { RouteContext } from './github-route.ts'
import { defaultBranch, type GithubRepository, namedRepository } from './github-state.ts'

export const isGraphql = (method: string, path: string) =>
  method === 'POST' && /^(\/api)?\/graphql$/.test(path)

/** `isVisible`: whether the caller may see a repository, with its files if `files` are asked for. */
export function graphqlAnswer(
  { state, body }: RouteContext,
  isVisible: (repository: GithubRepository, files: boolean) => boolean,
): GithubResponse {
  const query = String(body.query)
  const files = [...query.matchAll(/(\w+): object\(expression: "HEAD:([^"]+)"\)/g)]
  const asked = [...query.matchAll(/(\w+): repository\(owner: "([^"]+)", name: "([^"]+)"\)/g)]
  const described = asked.map(([, alias = '', owner, name]) => {
    const repository = namedRepository(state, `${owner}/${name}`)
    if (!repository || !isVisible(repository, files.length > 0)) return [alias, null]
    const { branches, commits, pulls } = contentsOf(state, repository)
    const tree = commits.get(branches.get(defaultBranch(repository)) as string)
    const objectAt = (path: string) => (tree?.[path] === undefined ? null : { text: tree[path] })
    const description = {
      databaseId: repository.id,
      pullRequests: { totalCount: pulls.filter((pull) => pull.state === 'open').length },
      ...Object.fromEntries(files.map(([, file = '', path = '']) => [file, objectAt(path)])),
    }
    return [alias, description]
  })
  const isWhole = described.every(([, description]) => description !== null)
  const errors = [{ type: 'NOT_FOUND', message: 'Could not resolve to a Repository' }]
  const answer = json(200, { data: Object.fromEntries(described), ...(!isWhole && { errors }) })
  // Its points are counted apart from the calls of REST.
  answer.headers['x-ratelimit-resource'] = 'graphql'
  return answer
}
