/** The page at `/`: its files, the sign-in, and the set-up of the GitHub App; and the API reference at `/docs`. */
import { fileURLToPath } from 'node:url'
import compression from 'compression'
import express, { type RequestHandler } from 'express'
import { Failure } from '../../../vocabulary/failure.ts'
import { ROOT } from '../../../vocabulary/root.ts'
import type { App } from '../../records/repositories/app.ts'
import { LOCAL_SIGN_IN_PATH, type LocalSignIn } from './local-sign-in.ts'
import { type SetupOptions, setup } from './setup.ts'
import { contentPolicy } from './setup-page.ts'
import { signIn } from './sign-in.ts'

/** The pages as Vite builds them. */
const FILES = fileURLToPath(new URL('dist/web', ROOT))

/** The names of assets contain a hash of their content. Only files that exist get this header. */
const CACHED_FOR_A_YEAR = 'public, max-age=31536000, immutable'

function pagePolicy(styles: string, images: string, forms: string): string {
  return contentPolicy(
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src 'self' data:${images}`,
    "connect-src 'self'",
    `form-action ${forms}`,
  )
}

/** GitHub's host of avatars; on GitHub Enterprise Server, a subdomain. */
function avatarsUrl(github_web_url: string): string {
  const { protocol, host } = new URL(github_web_url)
  return host === 'github.com' ? 'https://avatars.githubusercontent.com' : `${protocol}//avatars.${host}`
}

/**
 * Allows the two style elements that Redoc inserts, by their hashes: an empty one, whose rules it then sets by script, and
 * that of its scroll bars.
 */
const DOCS_POLICY = pagePolicy(
  "'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
  '',
  "'none'",
)

/** The handlers of the page. `findToken`: the token of the session of a request. */
export function dashboard(
  app: App,
  { local, ...options }: { local: LocalSignIn } & Omit<SetupOptions, 'app'>,
) {
  const { show, complete: completeSetup } = setup({ app, ...options })
  const before = [sentWhole, compression()]
  const { github_web_url } = app.config
  // Nothing external except avatars, which GitHub redirects to a host of their own.
  const policy = pagePolicy("'self'", ` ${github_web_url} ${avatarsUrl(github_web_url)}`, "'self'")
  const { findToken, showSession, begin, complete, signOut } = signIn(app, local)
  const routes = [
    get('page', '/', [...before, showPage('index.html', policy)]),
    get('docs', '/docs', [...before, showPage('docs.html', DOCS_POLICY)]),
    get('session', '/session', showSession),
    get('signIn', '/session/login', begin),
    get('signedIn', '/session/callback', complete),
    get('localSignIn', LOCAL_SIGN_IN_PATH, local.open),
    { name: 'signOut', method: 'POST' as const, path: '/session/logout', handler: signOut },
    get('setup', '/setup', show),
    get('setupCreated', '/setup/created', completeSetup),
  ]
  const files = express.static(`${FILES}/assets`, {
    index: false,
    setHeaders: (res) => res.setHeader('Cache-Control', CACHED_FOR_A_YEAR),
  })
  return { findToken, routes, assets: [...before, files] }
}

/** Ignores what a file may not satisfy: the answer would be an error, which is cached like the file. */
const sentWhole: RequestHandler = (req, _res, next) => {
  for (const name of ['range', 'if-match', 'if-unmodified-since']) delete req.headers[name]
  next()
}

/** A route; `name` is that of the operation in metrics and logs. */
function get(name: string, path: string, handler: RequestHandler | RequestHandler[]) {
  return { name, method: 'GET' as const, path, handler }
}

function showPage(file: string, policy: string): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('Content-Security-Policy', policy)
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    res.setHeader('Cache-Control', 'no-cache')
    res.sendFile(file, { root: FILES }, (error) => {
      if (error && !res.headersSent)
        next(new Failure('not_found', 'the page has not been built; run npm run build'))
    })
  }
}
