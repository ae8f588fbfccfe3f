/** The GitHub App: its key, the JWT it signs with it, its installations and their tokens, and its webhook deliveries. */
import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto'
import { installationBody, permissionsOf, repositoryBody, selectionOf } from './github-bodies.ts'
import { failure, type GithubResponse, json, notFound, paged, perPage } from './github-reply.ts'
import type { PlainRoute, RouteContext } from './github-route.ts'
import {
  type AppPermissions,
  type AppToken,
  type GithubState,
  type Installation,
  installationOf,
  installedRepositories,
  namedRepository,
  timestamp,
} from './github-state.ts'

const MINUTE_S = 60
/** GitHub allows for ten minutes and a little for clocks that differ. */
const EXP_AHEAD_S_MAX = 11 * MINUTE_S
const IAT_AHEAD_S_MAX = MINUTE_S

let keys: { pem: string; publicKey: KeyObject } | undefined

/** Generated once per process. */
function appKeys(): { pem: string; publicKey: KeyObject } {
  if (!keys) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    keys = { pem: privateKey.export({ type: 'pkcs1', format: 'pem' }) as string, publicKey }
  }
  return keys
}

/** The App's private key in GitHub's format, PKCS#1 in PEM. */
export function appKey(): string {
  return appKeys().pem
}

/** GitHub's error message for the App's JWT; undefined if it is valid. */
export function jwtProblem(state: GithubState, token: string | undefined): string | undefined {
  const UNREADABLE = 'A JSON web token could not be decoded'
  const [header = '', claims = '', signature = '', ...more] = (token ?? '').split('.')
  const { alg } = decoded(header)
  const { iss, iat, exp } = decoded(claims)
  const signed = Buffer.from(`${header}.${claims}`)
  const isSigned = () =>
    verify('RSA-SHA256', signed, appKeys().publicKey, Buffer.from(signature, 'base64url'))
  if (more.length > 0 || alg !== 'RS256' || String(iss) !== String(state.app.id) || !isSigned())
    return UNREADABLE

  const now_s = state.now().getTime() / 1000
  if (typeof exp !== 'number' || exp <= now_s) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
  }
  if (exp > now_s + EXP_AHEAD_S_MAX) return "'Expiration time' claim ('exp') is too far in the future"
  if (!Number.isInteger(iat) || (iat as number) > now_s + IAT_AHEAD_S_MAX) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
  }
  return undefined
}

function decoded(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) ?? {}
  } catch {
    return {}
  }
}

/** The permissions of a token: never more than its installation has now. */
export function permissionsOfToken(installation: Installation, token: AppToken): AppPermissions {
  const both = Object.keys(token.permissions).filter((name) => installation.permissions[name])
  return Object.fromEntries(
    both.map((name) => [
      name,
      token.permissions[name] === 'write' && installation.permissions[name] === 'write' ? 'write' : 'read',
    ]),
  )
}

export const appRoutes: PlainRoute[] = [
  {
    route: 'GET /app/installations/{id}',
    answer: (context) => installationAnswer(context, asked(context)),
  },
  { route: 'POST /app/installations/{id}/access_tokens', answer: newToken },
  {
    route: 'GET /repos/{owner}/{repo}/installation',
    answer: (context) => {
      const repository = namedRepository(context.state, `${context.params.owner}/${context.params.repo}`)
      return installationAnswer(context, repository && installationOf(context.state, repository))
    },
  },
  { route: 'GET /app/hook/deliveries', answer: listDeliveries },
  {
    route: 'POST /app/hook/deliveries/{id}/attempts',
    answer: (context) => {
      const { deliveries, redelivered } = context.state.app
      const delivery = deliveries.find(({ id }) => id === Number(context.params.id))
      if (!delivery) return notFound()
      redelivered.push(delivery.id)
      return json(202, {})
    },
  },
]

function installationAnswer({ state }: RouteContext, installation: Installation | undefined): GithubResponse {
  return installation ? json(200, installationBody(state, installation)) : notFound()
}

/** `GET /installation/repositories` is for an installation's token. */
export function installationRepositories(context: RouteContext): GithubResponse {
  const { state, caller } = context
  if (caller.kind !== 'installation') {
    const message =
      'You must authenticate with an installation access token in order to list repositories for an installation.'
    return failure(403, message)
  }
  const { contents } = permissionsOfToken(caller.installation, caller.token)
  const permissions = permissionsOf(contents === 'write' ? 'write' : 'read')
  const repositories = installedRepositories(state, caller.installation)
  return paged(context, repositories, (page) => ({
    total_count: repositories.length,
    repository_selection: selectionOf(caller.installation),
    repositories: page.map((repository) => ({ ...repositoryBody(state, repository), permissions })),
  }))
}

function newToken(context: RouteContext): GithubResponse {
  const { state } = context
  const installation = asked(context)
  if (!installation) return notFound()
  if (installation.suspended_at) return suspended()

  const token: AppToken = {
    token: `ghs_${randomBytes(27).toString('base64url').replace(/[-_]/g, '0')}`,
    installation_id: installation.id,
    expires_at: timestamp(new Date(state.now().getTime() + 60 * MINUTE_S * 1000)),
    permissions: { ...installation.permissions },
  }
  state.app.tokens.push(token)
  const { installation_id: _, ...shown } = token
  return json(201, { ...shown, repository_selection: selectionOf(installation) })
}

export const suspended = () => failure(403, 'This installation has been suspended')

function asked({ state, params }: RouteContext): Installation | undefined {
  return state.app.installations.find(({ id }) => id === Number(params.id))
}

/** Newest first, with pages by cursor instead of page numbers. */
function listDeliveries({ state, query, self }: RouteContext): GithubResponse {
  const size = perPage(query)
  const cursor = query.get('cursor')
  const before = cursor === null ? Number.POSITIVE_INFINITY : Number(/^v1_(\d+)$/.exec(cursor)?.[1])
  if (Number.isNaN(before)) return failure(400, 'Invalid cursor')

  const older = state.app.deliveries.filter(({ id }) => id < before).reverse()
  const page = older.slice(0, size)
  const listed = page.map((delivery) => ({ ...delivery, throttled_at: null }))
  const answer = json(200, listed)
  const last = page.at(-1)
  if (last && older.length > page.length) {
    const there = new URLSearchParams(query)
    there.set('cursor', `v1_${last.id}`)
    answer.headers.link = `<${self}?${there}>; rel="next"`
  }
  return answer
}
