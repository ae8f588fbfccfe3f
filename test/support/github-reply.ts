/** Responses in GitHub's format: status, headers, entity tags, pagination and failures. */
import { createHash } from 'node:crypto'

export interface GithubResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Failures with a response; `github-world.ts` adds those without one. */
export type AnsweredFault = keyof typeof faults

export const DOCS = 'https://docs.github.com'
const MINUTE_S = 60

const SECONDARY_LIMIT =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.'
const SECONDARY_LIMIT_PAGE =
  'free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits'

/** Where the owner of a token authorises it. */
export const SSO_URL = 'https://github.com/orgs/acme/sso?authorization_request=AZSCKtL4U8yX1H3sCQIVnVgm'

const faults = {
  /** A 403 other than a rate limit. */
  forbidden: (now: Date) =>
    failure(403, 'Resource not accessible by personal access token', `${DOCS}/rest`, now),
  /** The token is not authorised for the single sign-on of the organization. */
  sso_required: (now: Date) =>
    failure(
      403,
      'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
      `${DOCS}/articles/authenticating-to-a-github-organization-with-saml-single-sign-on/`,
      now,
      { 'x-github-sso': `required; url=${SSO_URL}` },
    ),
  /** 403 with `x-ratelimit-remaining: 0`. */
  rate_limited: (now: Date, wait_s = 30 * MINUTE_S) =>
    failure(
      403,
      'API rate limit exceeded for user ID 1. If you reach out to GitHub Support for help, please include the request ID.',
      `${DOCS}/rest/overview/rate-limits-for-the-rest-api`,
      now,
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-used': '5000',
        'x-ratelimit-reset': String(Math.floor(now.getTime() / 1000) + wait_s),
      },
    ),
  /** 403 with `retry-after`. */
  secondary_rate_limited: (now: Date, wait_s = MINUTE_S) =>
    failure(403, SECONDARY_LIMIT, `${DOCS}/${SECONDARY_LIMIT_PAGE}`, now, { 'retry-after': String(wait_s) }),
  /** A secondary limit that GitHub reports only in the message of a 403. */
  limited_without_header: (now: Date) =>
    failure(403, SECONDARY_LIMIT, `${DOCS}/${SECONDARY_LIMIT_PAGE}`, now),
  /** What GitHub answers to every token of a user, valid or not, after several that were not. */
  login_attempts: (now: Date) =>
    failure(403, 'Maximum number of login attempts exceeded. Please try again later.', `${DOCS}/rest`, now),
  /** 429 with `retry-after`. */
  too_many_requests: (now: Date, wait_s = MINUTE_S) =>
    failure(429, SECONDARY_LIMIT, `${DOCS}/${SECONDARY_LIMIT_PAGE}`, now, { 'retry-after': String(wait_s) }),
  bad_credentials: (now: Date) => badCredentials(now),
  not_found: (now: Date) => notFound(now),
  unprocessable: (now: Date) => failure(422, 'Validation Failed', `${DOCS}/rest`, now),
  server_error: (now: Date) => failure(500, 'Server Error', `${DOCS}/rest`, now),
  bad_gateway: (now: Date) => page(502, '<html><body><h1>Whoa there!</h1></body></html>', now),
  unavailable: (now: Date) =>
    page(503, '<html><body>No server is currently available to service your request.</body></html>', now),
  /** 200 with a JSON content type and a truncated body. */
  nonsense: (now: Date) => ({ status: 200, headers: commonHeaders(now), body: '{"id": 7, "full_na' }),
  /** 200 with JSON of an unexpected shape. */
  wrong_shape: (now: Date) => json(200, { unexpected: [] }, now),
}

/** `wait_s` is the wait time of the three rate limits. */
export function respondWithFault(fault: AnsweredFault, now: Date, wait_s?: number): GithubResponse {
  return faults[fault](now, wait_s)
}

export function json(status: number, value: unknown, now: Date): GithubResponse {
  const body = JSON.stringify(value)
  const headers = commonHeaders(now)
  if (status === 200) headers.etag = `W/"${digest(body)}"`
  return { status, headers, body }
}

export function failure(
  status: number,
  message: string,
  documentation_url: string,
  now: Date,
  headers: Record<string, string> = {},
): GithubResponse {
  const answer = json(status, { message, documentation_url, status: String(status) }, now)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** GitHub answers 404 for what a caller may not see. */
export function notFound(now: Date, message = 'Not Found'): GithubResponse {
  return failure(404, message, `${DOCS}/rest`, now)
}

export function badCredentials(now: Date): GithubResponse {
  return failure(401, 'Bad credentials', `${DOCS}/rest`, now)
}

export function invalid(now: Date, message: string): GithubResponse {
  return failure(422, message, `${DOCS}/rest`, now)
}

const PER_PAGE = 30
const PER_PAGE_MAX = 100

interface Listing {
  /** The URL without its query, and the query of the request. */
  self: string
  query: URLSearchParams
  now: Date
}

export function perPage(query: URLSearchParams): number {
  const asked = Number(query.get('per_page') ?? PER_PAGE)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, PER_PAGE_MAX) : PER_PAGE
}

/** One page of a list, with GitHub's `Link`. `wrap` builds the object of lists that are not a plain array. */
export function paged<T>(
  { self, query, now }: Listing,
  items: T[],
  wrap: (items: T[]) => unknown = (bare) => bare,
): GithubResponse {
  const size = perPage(query)
  const asked = Number(query.get('page') ?? 1)
  const number = Number.isInteger(asked) && asked > 0 ? asked : 1
  const last = Math.max(1, Math.ceil(items.length / size))
  const answer = json(200, wrap(items.slice((number - 1) * size, number * size)), now)

  const address = (page: number) => {
    const there = new URLSearchParams(query)
    there.set('page', String(page))
    return `${self}?${there}`
  }
  const links: [string, number, boolean][] = [
    ['prev', number - 1, number > 1],
    ['next', number + 1, number < last],
    ['last', last, number < last],
    ['first', 1, number > 1],
  ]
  const link = links.filter(([, , holds]) => holds).map(([rel, page]) => `<${address(page)}>; rel="${rel}"`)
  if (link.length > 0) answer.headers.link = link.join(', ')
  return answer
}

export function page(status: number, body: string, now: Date): GithubResponse {
  return { status, headers: { ...commonHeaders(now), 'content-type': 'text/html; charset=utf-8' }, body }
}

/** The name that git gives a file with this content. */
export function blobSha(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function commonHeaders(now: Date): Record<string, string> {
  return {
    date: now.toUTCString(),
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, max-age=60, s-maxage=60',
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': `${digest(String(now.getTime())).slice(0, 16).toUpperCase()}:0001`,
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4999',
    'x-ratelimit-used': '1',
    'x-ratelimit-reset': String(Math.floor(now.getTime() / 1000) + 30 * MINUTE_S),
    'x-ratelimit-resource': 'core',
  }
}
