/** The fake GitHub: state, injected faults and received requests. `github.ts` serves it to its own process, `fake-github-server.ts` over HTTP. */
import { setTimeout as wait } from 'node:timers/promises'
import { callerOf, pathUnder, respond, tokenOf } from './github-answers.ts'
import { isGraphql } from './github-graphql.ts'
import { fakeApp } from './github-installations.ts'
import { INSTALLATION_LIMITS, type LimitName, RateLimits, USER_LIMITS } from './github-limits.ts'
import { type AnsweredFault, type GithubResponse, respondWithFault } from './github-reply.ts'
import { fakeRepository } from './github-repository.ts'
import type { GithubRequest } from './github-route.ts'
import {
  emptyState,
  type GithubRepository,
  type GithubState,
  type Permission,
  repositoryNamed,
} from './github-state.ts'

/** `silent` never responds, `reset` drops the connection, `timed_out` fails at once like a fetch that timed out. */
export type SilentFault = 'silent' | 'reset' | 'timed_out'
/** `lost` processes the request and then drops the connection. */
export type Fault = AnsweredFault | SilentFault | 'lost'

/** A received request; `status` is missing while it waits and if it got no response. */
export interface ReceivedRequest {
  /** `POST /repos/acme/shop/issues/7/comments`. A repository requested by id has its name here. */
  route: string
  /** As it stands in the request line. */
  path: string
  body: unknown
  token: string | undefined
  received_at: Date
  status?: number
  /** The limit that refused it. */
  refused_by?: LimitName
}

type Permissions = Record<string, Permission>
type GivenUser = { login: string; id: number; permissions: Permissions; without_sso?: string[] }

export type GithubWorld = ReturnType<typeof githubWorld>

/** Routes have the form `GET /repos/acme/shop`, below the REST root and without a query; `*` matches any part. */
export function githubWorld(api_url: string) {
  const state = emptyState(api_url)
  const asked: ReceivedRequest[] = []
  let broken: { route: string; fault: Fault; left: number; wait_s: number | undefined }[] = []
  let calls_left: number | null = null
  let has_limits = true
  let delay_ms = 0
  let limits: Map<string, RateLimits> | undefined
  const held = new Map<string, Promise<void>>()
  const heldAnswers = new Map<string, Promise<void>>()

  const addRepository = (repository: GithubRepository) => {
    state.repositories = [...state.repositories.filter(({ id }) => id !== repository.id), repository]
  }
  const setCredential = (credential: GithubState['credentials'][number]) => {
    state.credentials = [...state.credentials.filter(({ token }) => token !== credential.token), credential]
  }
  const nextFault = (route: string) => {
    const found = broken.find((entry) => matches(entry.route, route) && entry.left > 0)
    if (found) found.left -= 1
    return found
  }
  const holdIn = (gates: Map<string, Promise<void>>, route: string) => {
    let open = () => {}
    gates.set(route, new Promise<void>((resolve) => (open = resolve)))
    return () => {
      gates.delete(route)
      open()
    }
  }
  const released = async (gates: Map<string, Promise<void>>, route: string) => {
    for (const [heldRoute, gate] of [...gates]) if (matches(heldRoute, route)) await gate
  }
  const limitsOf = (request: GithubRequest): RateLimits | undefined => {
    if (isGraphql(request.method, pathUnder(state.api_url, request.path))) return undefined
    const caller = limits && callerOf(state, tokenOf(request))
    const user = caller?.kind === 'token' ? caller.credential.user?.login : undefined
    const name = caller?.kind === 'installation' ? caller.installation.id : user
    if (!limits || name === undefined) return undefined
    const known =
      limits.get(`${name}`) ?? new RateLimits(user === undefined ? INSTALLATION_LIMITS : USER_LIMITS)
    limits.set(`${name}`, known)
    return known
  }
  const callsOf = (route: string) => asked.filter((call) => matches(route, call.route))

  return {
    state,
    /** Adds a repository, or replaces the one of that id. */
    repository: addRepository,
    /** Adds repositories with ids from `first_id` on. */
    repositories(names: string[], first_id: number) {
      for (const [index, full_name] of names.entries()) addRepository({ id: first_id + index, full_name })
    },
    /** Redirects its old name. */
    rename(from: string, to: string) {
      const repository = repositoryNamed(state, from)
      repository.former_names = [...(repository.former_names ?? []), repository.full_name]
      repository.full_name = to
    },
    remove(full_name: string) {
      const gone = repositoryNamed(state, full_name)
      state.repositories = state.repositories.filter((repository) => repository !== gone)
    },
    /** Adds a user's token, or replaces its permissions. `without_sso`: see `GithubCredential`. */
    token: (token: string, { login, id, ...given }: GivenUser) =>
      setCredential({ token, user: { login, id }, ...given }),
    /** Adds users with ids from 1 on, each with one permission in all of these repositories. Their tokens are their logins by default. */
    users(names: string[], users: Record<string, Permission>, token = (login: string) => login) {
      for (const [index, [login, permission]] of Object.entries(users).entries()) {
        const permissions = Object.fromEntries(names.map((name) => [name, permission]))
        setCredential({ token: token(login), user: { login, id: index + 1 }, permissions })
      }
    },
    /** Adds an installation token, such as that of a workflow run. */
    installation: (token: string, permissions: Permissions) => setCredential({ token, permissions }),
    revoke(token: string) {
      state.credentials = state.credentials.filter((credential) => credential.token !== token)
    },
    app: fakeApp(state),
    /** A repository: its pull requests, branches, files, comments and check runs. */
    at: (full_name: string) => fakeRepository(state, repositoryNamed(state, full_name)),
    /** Injects a fault into a route, permanently or for `times` requests. `wait_s` is the wait time of a rate limit. */
    fault(route: string, fault: Fault, times = Number.POSITIVE_INFINITY, wait_s?: number) {
      broken.unshift({ route, fault, left: times, wait_s })
    },
    delayAnswers(ms: number) {
      delay_ms = ms
    },
    /** Enforces the limits of installations and users from now on, beginning with none used. */
    enforceLimits() {
      limits = new Map()
    },
    /** The calls that are left of 5,000 as its responses say. */
    leaveCalls(remaining: number) {
      calls_left = remaining
    },
    /** Rate limits are off, as on Enterprise Server by default: answers have no headers about them. */
    disableLimits() {
      has_limits = false
    },
    clearFaults() {
      broken = []
    },
    /** Holds requests of a route until the returned function is called. */
    hold: (route: string) => holdIn(held, route),
    /** Holds the responses instead, which have the state at the time of the request. */
    holdAnswers: (route: string) => holdIn(heldAnswers, route),
    /** The number of requests to a route, or of those with a status. */
    calls: (route: string, status?: number) =>
      callsOf(route).filter((call) => status === undefined || call.status === status).length,
    /** The requests to a route, in order. */
    requests: (route = '*') => callsOf(route),
    async answer(request: GithubRequest): Promise<GithubResponse | SilentFault> {
      const route = `${request.method} ${namedPath(state, pathUnder(state.api_url, request.path))}`
      const call: ReceivedRequest = {
        route,
        path: request.path,
        body: parsed(request.body),
        token: tokenOf(request),
        received_at: state.now(),
      }
      asked.push(call)
      const limited = limitsOf(request)?.begin(request.method, call.received_at)
      if (limited?.refused_by) call.refused_by = limited.refused_by
      if (delay_ms > 0) await wait(delay_ms)
      const answer = limited?.refusal ?? (await answerTo(request, route))
      limited?.end(typeof answer === 'object' ? answer : null)
      if (typeof answer === 'object') call.status = answer.status
      return answer
    },
  }

  async function answerTo(request: GithubRequest, route: string): Promise<GithubResponse | SilentFault> {
    const broke = nextFault(route)
    const fault = broke?.fault
    await released(held, route)
    if (fault === 'silent' || fault === 'reset' || fault === 'timed_out') return fault
    if (fault && fault !== 'lost') return respondWithFault(fault, state.now(), broke?.wait_s)
    const answer = respond(state, request)
    if (calls_left !== null && answer.headers['x-ratelimit-resource'] === 'core')
      answer.headers['x-ratelimit-remaining'] = String(calls_left)
    if (!has_limits)
      for (const name of Object.keys(answer.headers))
        if (name.startsWith('x-ratelimit-')) delete answer.headers[name]
    await released(heldAnswers, route)
    return fault === 'lost' ? 'reset' : answer
  }
}

/** GitHub's links and redirects use a repository's id. Requests by id count under its name. */
function namedPath(state: GithubState, path: string): string {
  const [, id, rest] = /^\/repositories\/(\d+)(\/.+)$/.exec(path) ?? []
  const repository = state.repositories.find((known) => known.id === Number(id))
  return repository ? `/repos/${repository.full_name}${rest}` : path
}

function parsed(body: string | undefined): unknown {
  try {
    return body ? JSON.parse(body) : undefined
  } catch {
    return body
  }
}

function matches(pattern: string, route: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(route)
}
