/** The format of the fake GitHub's requests and routes, and how a request is matched with one. */
import type { GithubResponse } from './github-reply.ts'
import type {
  AppToken,
  GithubCredential,
  GithubRepository,
  GithubState,
  Installation,
} from './github-state.ts'

export interface GithubRequest {
  method: string
  /** With the query, as it stands in the request line. */
  path: string
  /** Names in lower case. */
  headers: Record<string, string | undefined>
  /** JSON, except for that of a page. */
  body?: string
}

export type Caller =
  /** A user, or an installation token made by the test (`github.installation`). */
  | { kind: 'token'; credential: GithubCredential }
  /** The App itself, by its signed JWT. */
  | { kind: 'app' }
  | { kind: 'installation'; installation: Installation; token: AppToken }

/** An authenticated request and what its handler needs. */
export interface RouteContext {
  state: GithubState
  caller: Caller
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, unknown>
  /** The URL without its query, for `Link`. */
  self: string
}

export interface RepositoryRouteContext extends RouteContext {
  repository: GithubRepository
}

export interface PlainRoute {
  /** `GET /app/installations/{id}`, for the App itself, or `GET /user`, for any caller. */
  route: string
  answer(context: RouteContext): GithubResponse
}

export interface RepositoryRoute {
  /** Below the repository: `GET /pulls/{number}`. A name with a plus matches the rest, slashes included. */
  route: string
  /** One of these permissions is enough: `pull_requests=read`. Empty means `metadata=read`, which every installation has. */
  needs: string[]
  answer(context: RepositoryRouteContext): GithubResponse
}

/** The route of a method and path, with its path parameters. */
export function findRoute<R extends { route: string }>(
  routes: R[],
  method: string,
  path: string,
): { found: R; params: Record<string, string> } | undefined {
  for (const found of routes) {
    const [itsMethod, template = ''] = found.route.split(' ')
    const params = itsMethod === method ? pattern(template).exec(path)?.groups : undefined
    if (params) return { found, params: { ...params } }
  }
  return undefined
}

const patterns = new Map<string, RegExp>()

function pattern(template: string): RegExp {
  const known = patterns.get(template)
  if (known) return known
  const source = template.replace(
    /\{(\w+)(\+?)\}/g,
    (_, name, rest) => `(?<${name}>${rest ? '.+' : '[^/]+'})`,
  )
  const made = new RegExp(`^${source}(?<_>)$`)
  patterns.set(template, made)
  return made
}
