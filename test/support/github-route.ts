/** How the routes of the played GitHub are written down, and how one is found for a request. */
import type { GithubResponse } from './github-reply.ts'
import type {
  AppToken,
  GithubCredential,
  GithubRepository,
  GithubState,
  Installation,
} from './github-state.ts'

export type Caller =
  | { kind: 'nobody' }
  /** A person, or an installation token that the test made up (`github.installation`). */
  | { kind: 'token'; credential: GithubCredential }
  /** The app itself, by its signed JWT. */
  | { kind: 'app' }
  | { kind: 'installation'; installation: Installation; token: AppToken }

/** A request that may be answered: its caller and its repository are known. */
export interface RouteContext {
  state: GithubState
  now: Date
  caller: Caller
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, unknown>
  accept: string
  /** The address without its query, as `Link` names it. */
  self: string
}

export interface RepositoryRouteContext extends RouteContext {
  repository: GithubRepository
}

/** Any one of these is enough: `pull_requests=read`. None asks for `metadata=read`, which every installation has. */
export type Needs = string[]

export interface AppRoute {
  /** `GET /app/installations/{id}`, for the app itself. */
  route: string
  answer(context: RouteContext): GithubResponse
}

export interface RepositoryRoute {
  /** Below the repository: `GET /pulls/{number}`. A name with a plus takes the rest, slashes included. */
  route: string
  needs: Needs
  answer(context: RepositoryRouteContext): GithubResponse
}

/** The route of that method and path, with what its path says. */
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
