/** The route of a surface that takes messages rather than operations, with the limits of bodies that REST has. */
import type { Request, RequestHandler, Response } from 'express'
import type { App } from '../../context/app.ts'
import type { Caller } from '../../operations/admission.ts'
import { readJson } from './body.ts'

/** Answers one message of a caller who was admitted. */
export type MessageSurface = (message: {
  req: Request
  res: Response
  caller: Caller
  request_id: string
  body: object
}) => Promise<void>

/** Not every message names a repository, so the token is verified by itself. */
export function messageRoute(app: App, answer: MessageSurface): RequestHandler {
  return async (req, res) => {
    const { request_id } = res.locals
    const caller: Caller = res.locals.caller
    await caller.admit((token) => app.access.verify(token))
    await answer({ req, res, caller, request_id, body: await readJson(req) })
  }
}
