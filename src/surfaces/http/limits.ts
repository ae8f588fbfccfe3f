/** The rate limit: per caller, and per address for requests that fail with 401 (contract §9). */
import { isIP } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit'
import { Failure } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import type { Token } from '../../github/access.ts'
import { QUOTA_WINDOW_MS, Quota } from '../../operations/quota.ts'

export interface Limits {
  /** Handlers that go before an operation; they read the token that was found in the request, if any, from `res.locals.token`. */
  admit: RequestHandler[]
  /** Counts a request that failed with 401 against its address. */
  countRefusal(req: Request): Promise<void>
}

export function limits(app: App): Limits {
  const quota = new Quota(app)
  const limit = app.config.rate_limit_per_minute
  // A token that GitHub took lately is no guess, wherever it comes from.
  const perAddress: RequestHandler = async (req, res, next) => {
    const isKnown = tokenIn(res) !== undefined && app.access.knows(tokenIn(res) as Token)
    if (!isKnown && (await quota.isSpent(addressOf(req)))) {
      throw tooMany('too many requests from this address without a valid token')
    }
    next()
  }
  const perCaller = rateLimit({
    windowMs: QUOTA_WINDOW_MS,
    limit,
    legacyHeaders: false,
    standardHeaders: 'draft-8',
    store: storeOn(quota),
    // The library's checks of its own set-up print to the console, and so do its complaints, which may hold a database's words.
    validate: false,
    logger: { error: () => {}, warn: () => {} },
    skip: (_req, res) => tokenIn(res) === undefined,
    keyGenerator: (_req, res) => `token:${tokenIn(res)?.hash}`,
    handler: () => {
      throw tooMany(`more than ${limit} requests in a minute`)
    },
  })
  return {
    admit: [perAddress, perCaller],
    countRefusal: async (req) => {
      await quota.take(addressOf(req))
    },
  }
}

/** What a proxy forwards may be no address at all; then it is the proxy's own that counts. */
function addressOf(req: Request): string {
  const address = isIP(req.ip ?? '') ? req.ip : req.socket.remoteAddress
  return `address:${ipKeyGenerator(address ?? 'unknown')}`
}

function tokenIn(res: Response): Token | undefined {
  return res.locals.token
}

function tooMany(what: string): Failure {
  const seconds = QUOTA_WINDOW_MS / 1000
  return new Failure('rate_limited', `${what}; wait for the seconds in Retry-After`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The library's store on the shared quota. */
function storeOn(quota: Quota): Store {
  return {
    increment: async (caller) => {
      const { used, reset_at } = await quota.take(caller)
      return { totalHits: used, resetTime: reset_at }
    },
    // Part of the library's interface; nothing that was taken is given back.
    decrement: () => {},
    resetKey: () => {},
  }
}
