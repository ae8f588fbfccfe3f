/** Responses in GitHub's format: status, headers, entity tags, pagination and failures. */
import { createHash } from 'node:crypto'

export interface GithubResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Failures with a response; `github-world.ts` adds those without one. */
export type AnsweredFault = keyof typeof faults

const DOCS = 'https://docs.github.com'
const MINUTE_S = 60

const SECONDARY_LIMIT =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.'

/** Where the owner of a token authorises it. */
export const SSO_URL = 'https://github.com/orgs/acme/sso?authorization_request=AZSCKtL4U8yX1H3sCQIVnVgm'

const faults = {
  /** A 403 other than a rate limit. */
  forbidden: () => failure(403, 'Resource not accessible by personal access token'),
  /** The token is not authorised for the single sign-on of the organization. */
  sso_required: () =>
    failure(
      403,
      'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
      { 'x-github-sso': `required; url=${SSO_URL}` },
    ),
  /** 403 with `x-ratelimit-remaining: 0`. */
  rate_limited: (now: Date, wait_s = 30 * MINUTE_S) =>
    failure(
      403,
      'API rate limit exceeded for user ID 1. If you reach out to GitHub Support for help, please include the request ID.',
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-used': '5000',
        'x-ratelimit-reset': String(Math.floor(now.getTime() / 1000) + wait_s),
      },
    ),
  /** 403 with `retry-after`. */
  secondary_rate_limited: (_now: Date, wait_s = MINUTE_S) =>
    failure(403, SECONDARY_LIMIT, { 'retry-after': String(wait_s) }),
  /** A secondary limit that GitHub reports only in the message of a 403. */
  limited_without_header: () => failure(403, SECONDARY_LIMIT),
  /** What GitHub answers to every token of a user, valid or not, after several that were not. */
  login_attempts: () => failure(403, 'Maximum number of login attempts exceeded. Please try again later.'),
  /** 429 with `retry-after`. */
  too_many_requests: (_now: Date, wait_s = MINUTE_S) =>
    failure(429, SECONDARY_LIMIT, { 'retry-after': String(wait_s) }),
  bad_credentials: () => badCredentials(),
  not_found: () => notFound(),
  unprocessable: () => invalid('Validation Failed'),
  server_error: () => failure(500, 'Server Error'),
  diff_unavailable: () => failure(500, 'Server Error: Sorry, this diff is taking too long to generate.'),
  bad_gateway: () => page(502, '<html><body><h1>Whoa there!</h1></body></html>'),
  unavailable: () =>
    page(503, '<html><body>No server is currently available to service your request.</body></html>'),
  /** 200 with a JSON content type and a truncated body. */
  nonsense: () => ({ status: 200, headers: {}, body: '{"id": 7, "full_na' }),
  /** 200 with JSON of an unexpected shape. */
  wrong_shape: () => json(200, { unexpected: [] }),
}

/** `wait_s` is the wait time of the three rate limits. */
export function respondWithFault(fault: AnsweredFault, now: Date, wait_s?: number): GithubResponse {
  return withCommonHeaders(faults[fault](now, wait_s), now)
}

export function json(status: number, value: unknown): GithubResponse {
  const body = JSON.stringify(value)
  return { status, headers: status === 200 ? { etag: `W/"${digest(body)}"` } : {}, body }
}

export function failure(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): GithubResponse {
  return { ...json(status, { message, documentation_url: `${DOCS}/rest`, status: String(status) }), headers }
}

/** GitHub answers 404 for what a caller may not see. */
export const notFound = (message = 'Not Found') => failure(404, message)

export const badCredentials = () => failure(401, 'Bad credentials')

/** What a caller lacks the permission for. */
export const notAccessible = () => failure(403, 'Resource not accessible by integration')

export const invalid = (message: string) => failure(422, message)

const PER_PAGE = 30
const PER_PAGE_MAX = 100

interface Listing {
  /** The URL without its query, and the query of the request. */
  self: string
  query: URLSearchParams
}

export function perPage(query: URLSearchParams): number {
  const asked = Number(query.get('per_page') ?? PER_PAGE)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, PER_PAGE_MAX) : PER_PAGE
}

/** One page of a list, with GitHub's `Link`. `wrap` builds the object of lists that are not a plain array. */
export function paged<T>(
  { self, query }: Listing,
  items: T[],
  wrap: (items: T[]) => unknown = (bare) => bare,
): GithubResponse {
  const size = perPage(query)
  const asked = Number(query.get('page') ?? 1)
  const number = Number.isInteger(asked) && asked > 0 ? asked : 1
  const last = Math.max(1, Math.ceil(items.length / size))
  const answer = json(200, wrap(items.slice((number - 1) * size, number * size)))

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

export function page(status: number, body: string): GithubResponse {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** The name that git gives a file with this content. */
export function blobSha(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Adds the headers of every response, unless it has others of these names. */
export function withCommonHeaders({ status, headers, body }: GithubResponse, now: Date): GithubResponse {
  const common = {
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
  return { status, headers: { ...common, ...headers }, body }
}
