/** The route of a surface that takes messages rather than operations: the same token, quota and limits of bodies as REST. */
import type { Request, RequestHandler, Response } from 'express'
import type { Token } from '../../github/access.ts'
import { readJson } from './body.ts'
import type { Limits } from './limits.ts'
import { findToken, noToken } from './router.ts'

/** Answers one message of a caller who sent a token. */
export type MessageSurface = (message: {
  req: Request
  res: Response
  token: Token
  request_id: string
  body: object
  /** To be called when GitHub does not accept the token. */
  refused(): Promise<void>
}) => Promise<void>

export function messageRoute(answer: MessageSurface, { admit, countRefusal }: Limits): RequestHandler[] {
  return [
    findToken,
    ...admit,
    async (req, res) => {
      const { token, request_id } = res.locals
      if (token === undefined) throw noToken()
      const body = await readJson(req)
      await answer({ req, res, token, request_id, body, refused: () => countRefusal(req) })
    },
  ]
}
