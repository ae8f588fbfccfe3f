/** The page at `/`: its files, the sign-in, and the event stream that keeps it up to date. */
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'
import { Failure } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import type { Streams } from './events.ts'
import { sessions } from './session.ts'

/** Where the build puts the page; the same from `src` and from `dist`. */
const FILES = fileURLToPath(new URL('../../../dist/web', import.meta.url))

const YEAR_MS = 365 * 86_400_000

/** Allows scripts, styles and requests of this origin only: nothing inline, nothing external, no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface PageRoute {
  /** In metrics and logs. */
  name: string
  method: 'GET' | 'POST'
  path: string
  handler: RequestHandler
}

export interface Dashboard {
  /** Runs before every other route: turns a session cookie into a token. */
  standIn: RequestHandler
  routes: PageRoute[]
  /** Serves `/assets`. */
  assets: RequestHandler
}

export function dashboard(app: App, streams: Streams): Dashboard {
  const { standIn, show, begin, complete, end } = sessions(app)
  return {
    standIn,
    routes: [
      { name: 'page', method: 'GET', path: '/', handler: showPage },
      { name: 'session', method: 'GET', path: '/session', handler: show },
      { name: 'signIn', method: 'GET', path: '/session/login', handler: begin },
      { name: 'signedIn', method: 'GET', path: '/session/callback', handler: complete },
      { name: 'signOut', method: 'POST', path: '/session/logout', handler: end },
      { name: 'events', method: 'GET', path: '/events/:owner/:repo', handler: streams.handler },
    ],
    assets: express.static(`${FILES}/assets`, { immutable: true, maxAge: YEAR_MS, index: false }),
  }
}

const showPage: RequestHandler = (_req, res, next) => {
  res.setHeader('Content-Security-Policy', POLICY)
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-cache')
  res.sendFile('index.html', { root: FILES }, (error) => {
    if (error && !res.headersSent) next(new Failure('not_found', 'the page is not built: npm run build'))
  })
}
