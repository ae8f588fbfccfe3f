/** The route of `/mcp`: who may send a message, and where a client without a token learns that GitHub issues them (RFC 9728). */
import type { Request, RequestHandler, Response } from 'express'
import { Failure } from '../../../vocabulary/failure.ts'
import { isLoopback } from '../../../vocabulary/network.ts'
import type { Caller } from '../../operations/admission.ts'
import type { App } from '../../records/repositories/app.ts'
import { readJson } from './body.ts'
import { sendJson } from './exchange.ts'

/** Verifies the token without a repository, because not every message names one. Bodies have the same limits as in REST. */
export function answerMessages(app: App): RequestHandler {
  return async (req, res) => {
    checkOrigin(req, app.config.public_url)
    const caller: Caller = res.locals.caller
    await caller
      .admit((token) => app.access.tokens.verify(token))
      .catch((error) => challenge(error, app, res))
    const body = await readJson(req, caller.meter)
    // When the first message arrives: at startup, the library would take a third of the time.
    const { answerMessage } = await import('./mcp.ts')
    await answerMessage(app, res, body)
  }
}

/**
 * Checks `Origin`, as MCP requires of servers against DNS rebinding: a page that makes a browser call this service under a name
 * of its own. Throws `forbidden` for a request of a page from elsewhere. Programs other than browsers send no `Origin`. Without
 * `PUBLIC_URL`, only pages of the service on this machine are its own, because a rebinding page chooses the name in `Host`.
 */
function checkOrigin({ headers: { origin, host } }: Request, public_url: string | null): void {
  const given = origin !== undefined && URL.canParse(origin) ? new URL(origin) : null
  const isPublic = given !== null && public_url !== null && given.origin === new URL(public_url).origin
  const isHere = given?.protocol === 'http:' && isLoopback(given.hostname) && given.host === host
  if (origin === undefined || isPublic || isHere) return
  throw new Failure('forbidden', 'Origin: /mcp accepts no requests from pages of other sites', {
    param: 'Origin',
  })
}

/** Clients ask for the second path first (RFC 9728, section 3.1). */
export const METADATA_PATHS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
]

const NO_OAUTH =
  'this service has no OAuth client for MCP; configure your client to send a GitHub token as Authorization: Bearer TOKEN'

/**
 * The addresses come from `PUBLIC_URL`, because a client can send any `Host`. Responds with 404 without an OAuth client, which
 * `/setup` can create while the service runs.
 */
export function showProtectedResource(app: App): RequestHandler {
  return (_req, res) => {
    if (app.sign_in === null) throw new Failure('not_found', NO_OAUTH)
    const { public_url } = app.sign_in
    const metadata = {
      resource: `${public_url}/mcp`,
      resource_name: 'Deconflict',
      resource_documentation: `${public_url}/docs`,
      authorization_servers: [`${app.config.github_web_url}/login/oauth`],
      bearer_methods_supported: ['header'],
    }
    sendJson(res, 200, JSON.stringify(metadata))
  }
}

/** Adds the address of the metadata to the challenge of a 401 (RFC 9728, section 5.1), and throws the error again. */
function challenge(error: unknown, { sign_in }: App, res: Response): never {
  if (error instanceof Failure && error.kind === 'unauthorized' && sign_in) {
    const { 'WWW-Authenticate': given = 'Bearer' } = error.headers
    const separator = given.includes('=') ? ',' : ''
    const address = `${sign_in.public_url}${METADATA_PATHS[1]}`
    res.setHeader('WWW-Authenticate', `${given}${separator} resource_metadata="${address}"`)
  }
  throw error
}
