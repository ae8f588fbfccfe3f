/** A GitHub for tests: who exists, what is broken and what was asked. `github.ts` and the stand-in put it on a wire. */
import { type GithubRequest, pathUnder, respond } from './github-answers.ts'
import { type FakeApp, fakeApp } from './github-installations.ts'
import { type AnsweredFault, type GithubResponse, respondWithFault } from './github-reply.ts'
import { type FakeRepository, fakeRepository } from './github-repository.ts'
import {
  emptyState,
  type GithubRepository,
  type GithubState,
  namedRepository,
  type Permission,
} from './github-state.ts'

/** `silent` never answers, `reset` drops the connection, `timed_out` fails at once as a fetch whose time is up. */
export type SilentFault = 'silent' | 'reset' | 'timed_out'
/** `lost` does what was asked and then drops the connection. */
export type Fault = AnsweredFault | SilentFault | 'lost'

/** A request that was made; `status` is missing while it waits, and when it got no answer. */
export interface ReceivedRequest {
  /** `POST /repos/acme/shop/issues/7/comments`; a repository that is asked for by its id stands here by its name. */
  route: string
  /** As it stands in the request line. */
  path: string
  body: unknown
  token: string | undefined
  status?: number
  /** What an installation token had to be granted, any one of them: `issues=write; pull_requests=write`. */
  accepted?: string
}

type Permissions = Record<string, Permission>

/** Routes are written `GET /repos/acme/shop`, below the REST root and without a query; `*` stands for any part of one. */
export interface GithubWorld {
  state: GithubState
  /** Adds a repository, or replaces the one of that id. */
  repository(repository: GithubRepository): void
  /** Its old name redirects from now on. */
  rename(from: string, to: string): void
  remove(full_name: string): void
  /** A user's token; the same token again replaces what it may do. */
  token(token: string, user: { login: string; id: number; permissions: Permissions }): void
  /** A token of an app's installation, such as the one of a workflow run. */
  installation(token: string, permissions: Permissions): void
  revoke(token: string): void
  /** The app: its key, its installations, its webhooks' deliveries. */
  app: FakeApp
  /** A repository from inside: its pull requests, branches, files, comments and check runs. */
  at(full_name: string): FakeRepository
  /** Breaks a route, for good or for so many requests. `wait_s` is what a rate limit tells the caller to wait. */
  fault(route: string, fault: Fault, times?: number, wait_s?: number): void
  /** Takes all faults back. */
  clearFaults(): void
  /** Keeps requests of a route waiting until the function it answers is called. */
  hold(route: string): () => void
  /** The same for the answers, which say what was true when the request came. */
  holdAnswers(route: string): () => void
  /** How many requests a route has had; with a status, how many were answered with it. */
  calls(route: string, status?: number): number
  /** Those requests themselves, in order. */
  requests(route?: string): ReceivedRequest[]
  answer(request: GithubRequest): Promise<GithubResponse | SilentFault>
}

export function githubWorld(api_url: string): GithubWorld {
  const state = emptyState(api_url)
  const asked: ReceivedRequest[] = []
  let broken: { route: string; fault: Fault; left: number; wait_s: number | undefined }[] = []
  const held = new Map<string, Promise<void>>()
  const heldAnswers = new Map<string, Promise<void>>()

  const repositoryNamed = (name: string): GithubRepository => {
    const repository = namedRepository(state, name)
    if (!repository) throw new Error(`no repository ${name} on this GitHub`)
    return repository
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
  const callsOf = (route: string) => asked.filter((call) => matches(route, call.route))

  return {
    state,
    repository(repository) {
      state.repositories = [...state.repositories.filter(({ id }) => id !== repository.id), repository]
    },
    rename(from, to) {
      const repository = repositoryNamed(from)
      repository.former_names = [...(repository.former_names ?? []), repository.full_name]
      repository.full_name = to
    },
    remove(full_name) {
      const gone = repositoryNamed(full_name)
      state.repositories = state.repositories.filter((repository) => repository !== gone)
    },
    token: (token, { login, id, permissions }) => setCredential({ token, user: { login, id }, permissions }),
    installation: (token, permissions) => setCredential({ token, permissions }),
    revoke(token) {
      state.credentials = state.credentials.filter((credential) => credential.token !== token)
    },
    app: fakeApp(state, repositoryNamed),
    at: (full_name) => fakeRepository(state, repositoryNamed(full_name)),
    fault: (route, fault, times = Number.POSITIVE_INFINITY, wait_s = undefined) =>
      broken.unshift({ route, fault, left: times, wait_s }),
    clearFaults() {
      broken = []
    },
    hold: (route) => holdIn(held, route),
    holdAnswers: (route) => holdIn(heldAnswers, route),
    calls: (route, status) =>
      callsOf(route).filter((call) => status === undefined || call.status === status).length,
    requests: (route = '*') => callsOf(route),
    async answer(request) {
      const route = `${request.method} ${namedPath(state, pathUnder(state.api_url, request.path))}`
      const call: ReceivedRequest = {
        route,
        path: request.path,
        body: parsed(request.body),
        token: tokenOf(request),
      }
      asked.push(call)
      const broke = nextFault(route)
      const fault = broke?.fault
      await released(held, route)
      if (fault === 'silent' || fault === 'reset' || fault === 'timed_out') return fault
      const now = new Date()
      if (fault && fault !== 'lost') {
        const answer = respondWithFault(fault, now, broke?.wait_s)
        call.status = answer.status
        return answer
      }
      const answer = respond(state, request, now)
      await released(heldAnswers, route)
      const accepted = answer.headers['x-accepted-github-permissions']
      if (accepted) call.accepted = accepted
      if (fault === 'lost') return 'reset'
      call.status = answer.status
      return answer
    },
  }
}

/** GitHub's links and redirects go by a repository's id. What is below it counts under its name. */
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

function tokenOf({ headers }: GithubRequest): string | undefined {
  return headers.authorization?.split(' ')[1]
}

function matches(pattern: string, route: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(route)
}
