/** Signs in whoever started the service at a terminal: an address with a one-time code, for a service that only this machine can reach. */
import { hash, randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { type Clock, later } from '../../../vocabulary/clock.ts'
import { cookies } from './cookies.ts'

const CODE_TTL_MS = 15 * 60_000
const SESSION_TTL_MS = 8 * 3_600_000
export const LOCAL_SIGN_IN_PATH = '/session/open'

interface Entry {
  token: string
  return_to: string
  expires_at: Date
}

/** Codes and sessions, in memory only. Both are random, and stored hashed. The token never leaves the process. */
export class LocalSignIn {
  readonly #clock: Clock
  readonly #codes = new Map<string, Entry>()
  readonly #sessions = new Map<string, Entry>()
  /** A random name, because browsers send the cookies of a host to all of its ports, where another instance may run. */
  readonly #cookie = `deconflict_local_${randomBytes(4).toString('hex')}`
  readonly #jar = cookies('http://localhost')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A code that signs one browser in with `token` and redirects it to the path `return_to`. It is valid for 15 minutes. */
  issue(token: string, return_to: string): string {
    const code = randomBytes(24).toString('base64url')
    this.#codes.set(hash('sha256', code), { token, return_to, expires_at: later(this.#clock(), CODE_TTL_MS) })
    return code
  }

  /** The token of the session of a request; undefined without one. */
  tokenOf(req: Request): string | undefined {
    return this.#sessionOf(req)?.token
  }

  /** `GET /session/open`: exchanges the code for a session. The browser that used it may open the address again. */
  open: RequestHandler = (req, res) => {
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Referrer-Policy', 'no-referrer')
    // The preview of a link sends HEAD, which must not use up the code.
    if (req.method === 'HEAD') return void res.status(204).end()
    const { code } = req.query
    const key = typeof code === 'string' ? hash('sha256', code) : ''
    const found = this.#codes.get(key)
    this.#codes.delete(key)
    if (!isValid(found, this.#clock())) {
      return res.redirect(303, this.#sessionOf(req)?.return_to ?? '/?problem=used')
    }
    const session = randomBytes(24).toString('base64url')
    const expires_at = later(this.#clock(), SESSION_TTL_MS)
    this.#sessions.set(hash('sha256', session), { ...found, expires_at })
    this.#jar.write(res, this.#cookie, session, SESSION_TTL_MS / 1000)
    res.redirect(303, found.return_to)
  }

  /** Ends the session of a request. */
  end(req: Request, res: Response): void {
    this.#sessions.delete(hash('sha256', this.#jar.read(req, this.#cookie) ?? ''))
    this.#jar.clear(res, this.#cookie)
  }

  #sessionOf(req: Request): Entry | undefined {
    const session = this.#jar.read(req, this.#cookie)
    const found = session === undefined ? undefined : this.#sessions.get(hash('sha256', session))
    return isValid(found, this.#clock()) ? found : undefined
  }
}

function isValid(entry: Entry | undefined, now: Date): entry is Entry {
  return entry !== undefined && entry.expires_at > now
}
