/** Signing in to the page with GitHub: the App's OAuth flow, and a session in an encrypted cookie that no server stores. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { PAGE_HEADER } from '../../../vocabulary/contract/route.ts'
import { Failure, unavailable } from '../../../vocabulary/failure.ts'
import { tokenOf } from '../../github/tokens.ts'
import type { Caller } from '../../operations/admission.ts'
import type { OAuthClient } from '../../platform/config.ts'
import type { App } from '../../records/repositories/app.ts'
import { encryptedCookies } from './cookies.ts'
import type { LocalSignIn } from './local-sign-in.ts'

const SESSION_COOKIE = 'deconflict_session'
const LOGIN_COOKIE = 'deconflict_login'
/** Time for the user to authorize at GitHub. */
const LOGIN_TTL_S = 600
/** The lifetime of GitHub's user tokens, unless the response names a shorter one. */
const SESSION_TTL_S = 8 * 3600
const EXCHANGE_TIMEOUT_MS = 10_000

const Login = z.object({ state: z.string(), verifier: z.string(), return_to: z.string() })
const Session = z.object({ token: z.string(), login: z.string().nullable() })
const AccessToken = z.object({ access_token: z.string(), expires_in: z.number().optional() })

/** The handlers of the sign-in. `findToken`: the token of the session of a request. */
export function signIn(app: App, local: LocalSignIn) {
  /** The current OAuth client with the cookies that are encrypted for it; null while there is none. */
  const opened = () => app.sign_in && { client: app.sign_in, jar: encryptedCookies(app.sign_in) }
  const findToken = async (req: Request) =>
    local.tokenOf(req) ?? (await opened()?.jar.read(req, SESSION_COOKIE, Session))?.token
  const handlers = {
    showSession: async (req, res) => {
      const jar = opened()?.jar
      const session = (await jar?.read(req, SESSION_COOKIE, Session)) ?? null
      const caller: Caller = res.locals.caller
      res.json({
        can_sign_in: app.sign_in !== null,
        login: session?.login ?? (await findLogin(app, caller, req.headers.authorization)),
        is_signed_in: session !== null || local.tokenOf(req) !== undefined,
        github_url: app.config.github_web_url,
      })
    },
    begin: async (req, res) => {
      const { jar, client } = required(opened())
      const verifier = randomBytes(32).toString('base64url')
      const state = randomBytes(16).toString('base64url')
      const login = { state, verifier, return_to: localPath(req.query.return_to) }
      await jar.write(res, LOGIN_COOKIE, login, LOGIN_TTL_S)
      const url = new URL('/login/oauth/authorize', app.config.github_web_url)
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: `${client.public_url}/session/callback`,
        state,
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
      }).toString()
      res.redirect(303, url.href)
    },
    complete: async (req, res) => {
      const { jar, client } = required(opened())
      const login = await jar.read(req, LOGIN_COOKIE, Login)
      jar.clear(res, LOGIN_COOKIE)
      const { code, state } = req.query
      const isExpected = login && typeof state === 'string' && isSame(state, login.state)
      if (!isExpected) return res.redirect(303, '/?problem=state')
      // GitHub redirects without a code when the user cancels.
      if (typeof code !== 'string') return res.redirect(303, login.return_to)
      const caller: Caller = res.locals.caller
      const granted = await caller
        .tryCredential(() => exchangeCode(app, client, { code, verifier: login.verifier }))
        .catch(undefinedIfUnauthorized)
      if (!granted) return res.redirect(303, '/?problem=code')
      const user = await app.access.tokens.identity(tokenOf(granted.access_token))
      const session = { token: granted.access_token, login: user?.login ?? null }
      const ttl_s = Math.min(granted.expires_in ?? SESSION_TTL_S, SESSION_TTL_S)
      await jar.write(res, SESSION_COOKIE, session, ttl_s)
      res.redirect(303, login.return_to)
    },
    signOut: (req, res) => {
      if (req.headers[PAGE_HEADER] === undefined)
        throw new Failure('forbidden', `sign-out requires the header ${PAGE_HEADER}, which the page sends`)
      opened()?.jar.clear(res, SESSION_COOKIE)
      local.end(req, res)
      res.status(204).end()
    },
  } satisfies Record<string, RequestHandler>
  return { findToken, ...handlers }
}

/** The login of the token that a tab uses; null without a token, with one that GitHub rejects, and if GitHub names none. Throws other failures, so that the page tries again. */
async function findLogin(
  app: App,
  caller: Caller,
  authorization: string | undefined,
): Promise<string | null> {
  if (authorization === undefined) return null
  const identity = caller.admit((token) => app.access.tokens.identity(token)).catch(undefinedIfUnauthorized)
  return (await identity)?.login ?? null
}

function required<Opened>(opened: Opened | null): Opened {
  if (opened) return opened
  throw new Failure(
    'not_found',
    'sign-in with GitHub is not configured: set PUBLIC_URL, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET, or use a token',
  )
}

function undefinedIfUnauthorized(error: unknown): undefined {
  if (!(error instanceof Failure && error.kind === 'unauthorized')) throw error
}

/** Exchanges the code for a user token. Throws `unauthorized` if GitHub rejects the code, or `service_unavailable`. */
async function exchangeCode(
  app: App,
  { client_id, client_secret, public_url }: OAuthClient,
  { code, verifier }: { code: string; verifier: string },
): Promise<z.output<typeof AccessToken>> {
  const url = new URL('/login/oauth/access_token', app.config.github_web_url)
  const redirect_uri = `${public_url}/session/callback`
  let body: unknown
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id, client_secret, code, redirect_uri, code_verifier: verifier }),
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
      redirect: 'error',
    })
    if (response.status >= 500) throw new Error(`GitHub answered ${response.status}`)
    body = await response.json()
  } catch (error) {
    throw unavailable('GitHub is unavailable, so sign-in is not possible; try again later', error)
  }
  // GitHub reports an error with status 200 and an error in the body.
  const granted = AccessToken.safeParse(body)
  if (!granted.success) throw new Failure('unauthorized', 'GitHub rejected the code of this sign-in')
  return granted.data
}

/** Accepts paths of this page only; anything else would be an open redirect. */
function localPath(given: unknown): string {
  return typeof given === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(given) ? given : '/'
}

/** Compares two secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(one), digest(other))
}
