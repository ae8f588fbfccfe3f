/** The route of a surface that receives messages instead of operations (MCP). Bodies have the same limits as in REST. */
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../operations/admission.ts'
import type { App } from '../../records/repositories/app.ts'
import { readJson } from './body.ts'
import { checkOrigin } from './origin.ts'
import { challenge } from './protected-resource.ts'

/** Responds to one message of an admitted caller. */
export type MessageSurface = (message: {
  req: Request
  res: Response
  caller: Caller
  request_id: string
  body: object
}) => Promise<void>

/** Verifies the token without a repository, because not every message names one. */
export function messageRoute(app: App, respond: MessageSurface): RequestHandler {
  return async (req, res) => {
    checkOrigin(req, app.config.public_url)
    const { request_id } = res.locals
    const caller: Caller = res.locals.caller
    await caller
      .admit((token) => app.access.tokens.verify(token))
      .catch((error) => challenge(error, app, res))
    await respond({ req, res, caller, request_id, body: await readJson(req, caller.meter) })
  }
}
