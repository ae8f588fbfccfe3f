/** Responds to requests as GitHub does: authenticates, authorises and routes. A function of the state and the request; writes change the state. */
import {
  appRoutes,
  installationRepositories,
  jwtProblem,
  permissionsOfToken,
  suspended,
} from './github-app.ts'
import { account, permissionsOf, repositoryBody } from './github-bodies.ts'
import { checkRoutes } from './github-checks.ts'
import { commentRoutes } from './github-comments.ts'
import { contentRoutes } from './github-contents.ts'
import { fileRoutes } from './github-files.ts'
import { graphqlAnswer, isGraphql } from './github-graphql.ts'
import { manifestAnswer } from './github-manifest.ts'
import { pullRoutes } from './github-pulls.ts'
import {
  badCredentials,
  failure,
  type GithubResponse,
  json,
  notAccessible,
  notFound,
  paged,
  withCommonHeaders,
} from './github-reply.ts'
import {
  type Caller,
  findRoute,
  type GithubRequest,
  type PlainRoute,
  type RepositoryRoute,
  type RouteContext,
} from './github-route.ts'
import {
  type GithubCredential,
  type GithubRepository,
  type GithubState,
  includes,
  namedRepository,
  type Permission,
  sameName,
} from './github-state.ts'

const ofCallers: PlainRoute[] = [
  { route: 'GET /user', answer: userAnswer },
  { route: 'GET /user/repos', answer: userRepositories },
  { route: 'GET /installation/repositories', answer: installationRepositories },
]

const ofRepositories: RepositoryRoute[] = [
  { route: 'GET ', needs: [], answer: repositoryAnswer },
  { route: 'GET /collaborators/{username}/permission', needs: [], answer: permissionAnswer },
  ...pullRoutes,
  ...fileRoutes,
  ...commentRoutes,
  ...checkRoutes,
  ...contentRoutes,
]

/** What it serves, in the format of `calledRoutes` with parameters of other names. */
export const SERVED_ROUTES = [
  'POST /app-manifests/{code}/conversions',
  ...[...appRoutes, ...ofCallers].map(({ route }) => route),
  ...ofRepositories.map(({ route }) => route.replace(' ', ' /repos/{owner}/{repo}')),
]

export function respond(state: GithubState, request: GithubRequest): GithubResponse {
  const answer = withCommonHeaders(route(state, request), state.now())
  const conditional = request.headers['if-none-match']?.split(/, */)
  if (answer.status === 200 && answer.headers.etag && conditional?.includes(answer.headers.etag)) {
    return { status: 304, headers: answer.headers, body: '' }
  }
  return answer
}

function route(state: GithubState, request: GithubRequest): GithubResponse {
  const ofManifest = manifestAnswer(state, request)
  if (ofManifest) return ofManifest
  const path = pathUnder(state.api_url, request.path)
  const token = tokenOf(request)
  const body = bodyOf(request)
  if (!body) return failure(400, 'Problems parsing JSON')
  const context: RouteContext = {
    state,
    caller: { kind: 'app' },
    params: {},
    query: new URL(request.path, state.api_url).searchParams,
    body,
    self: `${state.api_url}${path}`,
  }

  const ofApp = findRoute(appRoutes, request.method, path)
  if (ofApp) {
    const problem = jwtProblem(state, token)
    return problem ? failure(401, problem) : ofApp.found.answer({ ...context, params: ofApp.params })
  }

  const caller = callerOf(state, token)
  if (!caller) return badCredentials()
  if (caller.kind === 'installation' && caller.installation.suspended_at) return suspended()
  const requestContext = { ...context, caller }
  const ofCaller = findRoute(ofCallers, request.method, path)
  if (ofCaller) return ofCaller.found.answer(requestContext)
  if (isGraphql(request.method, path))
    return graphqlAnswer(requestContext, (repository, files) => {
      const mayRead =
        caller.kind !== 'installation' || permissionsOfToken(caller.installation, caller.token).contents
      return (!files || mayRead !== undefined) && permission(repository, caller) !== 'none'
    })
  return underRepository(requestContext, request.method, path)
}

function bodyOf({ body }: GithubRequest): Record<string, unknown> | undefined {
  if (!body) return {}
  try {
    const parsed = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

export function tokenOf({ headers }: GithubRequest): string | undefined {
  return /^(?:bearer|token) +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

/** The caller with this token; undefined if it is not valid. */
export function callerOf(state: GithubState, token: string | undefined): Caller | undefined {
  const credential = state.credentials.find((known) => known.token === token)
  if (credential) return { kind: 'token', credential }
  const ours = state.app.tokens.find(
    (known) => known.token === token && Date.parse(known.expires_at) > state.now().getTime(),
  )
  const installation = state.app.installations.find(({ id }) => id === ours?.installation_id)
  return ours && installation && { kind: 'installation', installation, token: ours }
}

function underRepository(context: RouteContext, method: string, path: string): GithubResponse {
  const { state, caller } = context
  const [, byName, byId, rest = ''] =
    /^\/(?:repos\/([^/]+\/[^/]+)|repositories\/(\d+))(\/.*)?$/.exec(path) ?? []
  const repository = byName
    ? namedRepository(state, byName)
    : state.repositories.find(({ id }) => id === Number(byId))
  if (!repository || permission(repository, caller) === 'none') return notFound()
  if (byName && !sameName(repository.full_name, byName)) return moved(context, repository, method, rest)

  const match = findRoute(ofRepositories, method, rest)
  if (!match) return notFound()
  const refusal = refusalOf(context, repository, { method, needs: match.found.needs })
  // As on GitHub, the links of a list use the repository's id.
  const self = `${state.api_url}/repositories/${repository.id}${rest}`
  return refusal ?? match.found.answer({ ...context, repository, params: match.params, self })
}

function refusalOf(
  { caller }: RouteContext,
  repository: GithubRepository,
  { method, needs }: { method: string; needs: string[] },
): GithubResponse | undefined {
  if (method !== 'GET' && repository.archived) return failure(403, 'Repository was archived so is read-only.')
  if (caller.kind !== 'installation' || needs.length === 0) return undefined
  const granted = permissionsOfToken(caller.installation, caller.token)
  const suffices = (need: string) => {
    const [name = '', level] = need.split('=')
    return granted[name] === 'write' || granted[name] === level
  }
  return needs.some(suffices) ? undefined : notAccessible()
}

/** The path below the REST root, which on GitHub Enterprise Server is `/api/v3`. */
export function pathUnder(api_url: string, path: string): string {
  const { pathname } = new URL(path, api_url)
  const root = new URL(api_url).pathname.replace(/\/$/, '')
  return decodeURIComponent(pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname)
}

/** Those that the user has a permission on, the most recently pushed first: here those with the highest id. */
function userRepositories(context: RouteContext): GithubResponse {
  const { state, caller } = context
  if (caller.kind !== 'token' || !caller.credential.user) return notAccessible()
  const { without_sso = [] } = caller.credential
  const all = state.repositories.filter((repository) => granted(repository, caller.credential) !== 'none')
  const listed = all
    .filter(({ full_name }) => !without_sso.includes(full_name.split('/')[0] as string))
    .toSorted((one, other) => other.id - one.id)
  const answer = paged(
    context,
    listed.map((repository) => ({
      ...repositoryBody(state, repository),
      permissions: permissionsOf(permission(repository, caller)),
    })),
  )
  if (listed.length < all.length) answer.headers['x-github-sso'] = 'partial-results; organizations=4711'
  return answer
}

function repositoryAnswer(context: RouteContext & { repository: GithubRepository }) {
  const { state, repository, caller } = context
  const permissions = permissionsOf(permission(repository, caller))
  const body = repositoryBody(state, repository)
  return json(200, { ...body, permissions, network_count: 0, subscribers_count: 0 })
}

/** Those of a token's user; everybody else may read what is public. */
function permissionAnswer(
  context: RouteContext & { repository: GithubRepository; params: Record<string, string> },
) {
  const { state, repository, params } = context
  const credential = state.credentials.find(({ user }) => user?.login === params.username)
  const found = credential ? granted(repository, credential) : 'read'
  return json(200, { permission: found, role_name: found, user: null })
}

/** Redirects a GET with 301 and everything else with 307, which keeps the method. */
function moved(
  { state }: RouteContext,
  repository: GithubRepository,
  method: string,
  rest: string,
): GithubResponse {
  const location = `${state.api_url}/repositories/${repository.id}${rest}`
  return method === 'GET'
    ? failure(301, 'Moved Permanently', { location })
    : failure(307, 'Temporary Redirect', { location })
}

function permission(repository: GithubRepository, caller: Caller): Permission {
  if (caller.kind === 'installation') {
    const { installation, token } = caller
    if (!includes(installation, repository)) return 'none'
    return permissionsOfToken(installation, token).contents === 'write' ? 'write' : 'read'
  }
  const own = caller.kind === 'token' ? granted(repository, caller.credential) : 'none'
  return own === 'none' && repository.private === false ? 'read' : own
}

function granted(repository: GithubRepository, { permissions }: GithubCredential): Permission {
  const names = [repository.full_name, ...(repository.former_names ?? [])]
  const found = Object.entries(permissions).find(([name]) => names.some((known) => sameName(known, name)))
  return found?.[1] ?? 'none'
}

const UNUSED_USER_FIELDS = {
  name: null,
  company: null,
  blog: '',
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: '2024-01-15T08:00:00Z',
  updated_at: '2024-01-15T08:00:00Z',
}

function userAnswer({ state, caller }: RouteContext): GithubResponse {
  const user = caller.kind === 'token' ? caller.credential.user : undefined
  if (!user) return notAccessible()
  return json(200, { ...account(state, user.login, user.id, 'User'), ...UNUSED_USER_FIELDS })
}
