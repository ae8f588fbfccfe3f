/** Calls with a caller's token: their timeout, and what the errors of GitHub mean. */
import { Failure, unavailable } from '../../vocabulary/failure.ts'
import { isRateLimited } from './client.ts'

const TIMEOUT_MS = 5000

/**
 * Request options with the caller's token and a timeout. The timeout is not combined with others, because on Node 20 the
 * result of `AbortSignal.any` can be garbage collected before it fires.
 */
export function requestOptions(token: string, headers: Record<string, string> = {}) {
  return {
    headers: { authorization: `Bearer ${token}`, ...headers },
    request: { signal: AbortSignal.timeout(TIMEOUT_MS) },
  }
}

export type GithubError =
  | { kind: 'not_modified' | 'unauthorized' }
  /** `sso_url`: where the owner of the token authorises it for the single sign-on of an organisation; null if that is not the reason. */
  | { kind: 'invisible'; sso_url: string | null }
  /** `is_primary`: no calls are left. A secondary limit concerns only some calls. */
  | { kind: 'rate_limited'; retry_after: number; is_primary: boolean }
  | { kind: 'unavailable' }

/** GitHub reports some limits only in the message of a 403; that of failed logins says nothing about the token that it refuses. */
const LIMIT_MESSAGE = /rate limit|abuse|number of login attempts/i
/** How long GitHub advises to wait after such a limit. */
const LIMIT_DEFAULT_S = 60

/** Classifies the error of a call. `now` converts the reset time of a rate limit into seconds. */
export function classifyError(error: unknown, now: Date): GithubError {
  const {
    status,
    message = '',
    response,
  } = error as {
    status?: number
    message?: string
    response?: { headers?: Record<string, string | undefined> }
  }
  const headers = response?.headers ?? {}
  switch (status) {
    case 304:
      return { kind: 'not_modified' }
    case 401:
      return { kind: 'unauthorized' }
    case 429:
    case 403:
      return isRateLimited(status, headers) || LIMIT_MESSAGE.test(message)
        ? {
            kind: 'rate_limited',
            retry_after: retryAfter(headers, now),
            is_primary: headers['x-ratelimit-remaining'] === '0',
          }
        : { kind: 'invisible', sso_url: ssoUrlIn(headers) }
    case 404:
    case 451:
      return { kind: 'invisible', sso_url: null }
    default:
      return { kind: 'unavailable' }
  }
}

/** The address in `X-GitHub-SSO: required; url=https://…`. */
function ssoUrlIn(headers: Record<string, string | undefined>): string | null {
  const given = /^required;\s*url=(https:\S+)/i.exec(headers['x-github-sso'] ?? '')?.[1]
  return given !== undefined && URL.canParse(given) ? new URL(given).href : null
}

/** The seconds to wait, from 1 to 3,600. */
function retryAfter(headers: Record<string, string | undefined>, now: Date): number {
  const isUsedUp = headers['x-ratelimit-remaining'] === '0'
  const reset = isUsedUp ? Number(headers['x-ratelimit-reset']) : Number.NaN
  const seconds = Number(headers['retry-after']) || (reset ? reset - now.getTime() / 1000 : LIMIT_DEFAULT_S)
  return Math.min(3600, Math.max(1, Math.ceil(seconds)))
}

/** The failure that the client receives. */
export function toFailure(error: GithubError): Failure {
  switch (error.kind) {
    case 'unauthorized':
      return new Failure(
        'unauthorized',
        'GitHub rejected this token; it may be mistyped, expired or revoked',
        { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } },
      )
    case 'rate_limited':
      return new Failure(
        'rate_limited',
        'GitHub rate-limits requests with this token; retry after the time in Retry-After',
        { headers: { 'Retry-After': String(error.retry_after) } },
      )
    // A repository that is not visible is no failure; its files may be hidden from a token that sees it.
    case 'invisible':
      return new Failure(
        'forbidden',
        error.sso_url === null
          ? 'this token cannot read the files of the repository (contents: read)'
          : `authorise your token for SAML at ${error.sso_url}`,
      )
    default:
      return unavailable('GitHub is unavailable, so access to this repository cannot be checked; try again')
  }
}
