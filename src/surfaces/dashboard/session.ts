/** Signing in with GitHub for people who look at the page: the App's user authorisation, kept in an encrypted cookie and nowhere else. */
import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import type { Config } from '../../base/config.ts'
import { Failure, unavailable } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import { tokenOf } from '../../github/access.ts'
import type { Caller } from '../../operations/admission.ts'

type SignIn = NonNullable<Config['sign_in']>

const SESSION = 'deconflict_session'
const LOGIN = 'deconflict_login'
/** The way to GitHub and back; who takes longer begins again. */
const LOGIN_S = 600
/** GitHub's user tokens live eight hours unless it says otherwise. */
const SESSION_S = 8 * 3600
const EXCHANGE_MS = 10_000
/** What a page of ours sends with every request, and no form or image of another site can. */
const PAGE_HEADER = 'x-deconflict-page'

const Login = z.object({ state: z.string(), verifier: z.string(), return_to: z.string() })
const Session = z.object({ token: z.string(), login: z.string().nullable() })
const Granted = z.object({ access_token: z.string(), expires_in: z.number().optional() })

/** What the four routes under `/session` do, and how a session stands in for a token. */
export interface Sessions {
  /** Puts the token of the session in the place of a missing `Authorization`, for requests that the page made. */
  standIn: RequestHandler
  show: RequestHandler
  begin: RequestHandler
  complete: RequestHandler
  end: RequestHandler
}

export function sessions(app: App): Sessions {
  const { sign_in } = app.config
  const cookies = sign_in ? cookieJar(sign_in) : null
  return {
    standIn: (req, _res, next) => {
      const isOfPage = req.headers.authorization === undefined && req.headers[PAGE_HEADER] !== undefined
      if (!cookies || !isOfPage) return next()
      cookies.read(req, SESSION, Session).then((session) => {
        if (session) req.headers.authorization = `Bearer ${session.token}`
        next()
      }, next)
    },
    show: async (req, res) => {
      const session = (await cookies?.read(req, SESSION, Session)) ?? null
      res.json({
        can_sign_in: cookies !== null,
        login: session?.login ?? null,
        is_signed_in: session !== null,
      })
    },
    begin: async (req, res) => {
      const { jar, config } = required(cookies, sign_in)
      const verifier = randomBytes(32).toString('base64url')
      const state = randomBytes(16).toString('base64url')
      await jar.write(res, LOGIN, { state, verifier, return_to: localPath(req.query.return_to) }, LOGIN_S)
      const address = new URL('/login/oauth/authorize', app.config.github_web_url)
      address.search = new URLSearchParams({
        client_id: config.client_id,
        redirect_uri: `${config.public_url}/session/callback`,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()
      res.redirect(303, address.href)
    },
    complete: async (req, res) => {
      const { jar, config } = required(cookies, sign_in)
      const login = await jar.read(req, LOGIN, Login)
      jar.clear(res, LOGIN)
      const { code, state } = req.query
      const isOurs = login && typeof state === 'string' && isSame(state, login.state)
      if (!isOurs) return res.redirect(303, '/?problem=state')
      // Who pressed Cancel at GitHub comes back without a code.
      if (typeof code !== 'string') return res.redirect(303, login.return_to)
      const caller: Caller = res.locals.caller
      const granted = await caller
        .tryCredential(() => exchange(app, config, { code, verifier: login.verifier }))
        .catch(unlessRefused)
      if (!granted) return res.redirect(303, '/?problem=code')
      const who = await app.access.identity(tokenOf(granted.access_token))
      const session = { token: granted.access_token, login: who?.login ?? null }
      await jar.write(res, SESSION, session, Math.min(granted.expires_in ?? SESSION_S, SESSION_S))
      res.redirect(303, login.return_to)
    },
    end: (req, res) => {
      if (req.headers[PAGE_HEADER] === undefined)
        throw new Failure('forbidden', 'only the page itself signs out')
      cookies?.clear(res, SESSION)
      res.status(204).end()
    },
  }
}

function required(jar: CookieJar | null, config: SignIn | null): { jar: CookieJar; config: SignIn } {
  if (jar && config) return { jar, config }
  throw new Failure(
    'not_found',
    'signing in with GitHub is off: set PUBLIC_URL, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET, or use a token',
  )
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Failure && error.kind === 'unauthorized')) throw error
}

/** The token that GitHub gives for the code. Throws `unauthorized` where it refuses the code, and `service_unavailable`. */
async function exchange(
  app: App,
  { client_id, client_secret, public_url }: SignIn,
  { code, verifier }: { code: string; verifier: string },
): Promise<z.output<typeof Granted>> {
  const address = new URL('/login/oauth/access_token', app.config.github_web_url)
  const redirect_uri = `${public_url}/session/callback`
  let answer: unknown
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id, client_secret, code, redirect_uri, code_verifier: verifier }),
      signal: AbortSignal.timeout(EXCHANGE_MS),
      redirect: 'error',
    })
    if (response.status >= 500) throw new Error(`GitHub answered ${response.status}`)
    answer = await response.json()
  } catch (error) {
    throw unavailable('GitHub does not answer, so nobody can sign in; try again', error)
  }
  // GitHub refuses with 200 and an error in the body.
  const granted = Granted.safeParse(answer)
  if (!granted.success) throw new Failure('unauthorized', 'GitHub does not accept the code of this sign-in')
  return granted.data
}

/** Paths of this page alone: anything else would make the sign-in a way to send people elsewhere. */
function localPath(given: unknown): string {
  return typeof given === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(given) ? given : '/'
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

interface CookieJar {
  /** What the cookie holds; undefined where there is none, or none of ours, or its time is over. */
  read<Schema extends z.ZodType>(
    req: Request,
    name: string,
    schema: Schema,
  ): Promise<z.output<Schema> | undefined>
  write(res: Response, name: string, content: Record<string, unknown>, life_s: number): Promise<void>
  clear(res: Response, name: string): void
}

/** Cookies that only this service can read, whichever instance: their key is made from the client's secret. */
function cookieJar({ client_secret, public_url }: SignIn): CookieJar {
  const key = new Uint8Array(hkdfSync('sha256', client_secret, '', 'deconflict cookies', 32))
  const isSecure = public_url.startsWith('https:')
  // The prefix binds a cookie to this very host; browsers demand TLS for it.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : name)
  const options = { httpOnly: true, secure: isSecure, sameSite: 'lax', path: '/' } as const
  return {
    async read(req, name, schema) {
      const sealed = cookiesOf(req).get(nameOf(name))
      if (sealed === undefined) return undefined
      try {
        const { payload } = await jwtDecrypt(sealed, key, { audience: name })
        return schema.safeParse(payload).data
      } catch {
        return undefined
      }
    },
    async write(res, name, content, life_s) {
      const sealed = await new EncryptJWT(content)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(name)
        .setExpirationTime(`${life_s} seconds`)
        .encrypt(key)
      res.cookie(nameOf(name), sealed, { ...options, maxAge: life_s * 1000 })
    },
    clear: (res, name) => {
      res.clearCookie(nameOf(name), options)
    },
  }
}

function cookiesOf(req: Request): Map<string, string> {
  const pairs = (req.headers.cookie ?? '').split(/; */).map((pair) => pair.split('=', 2))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}
