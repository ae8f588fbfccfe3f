/** OAuth metadata of `/mcp` (RFC 9728), from which clients without a token learn that GitHub issues the tokens. */
import type { RequestHandler, Response } from 'express'
import { Failure } from '../../../vocabulary/failure.ts'
import type { App } from '../../records/repositories/app.ts'
import { sendJson } from './exchange.ts'

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
export function challenge(error: unknown, { sign_in }: App, res: Response): never {
  if (error instanceof Failure && error.kind === 'unauthorized' && sign_in) {
    const { 'WWW-Authenticate': given = 'Bearer' } = error.headers
    const separator = given.includes('=') ? ',' : ''
    const address = `${sign_in.public_url}${METADATA_PATHS[1]}`
    res.setHeader('WWW-Authenticate', `${given}${separator} resource_metadata="${address}"`)
  }
  throw error
}
