/** The REST surface: one route for each operation of the contract (specification §4). */
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { Failure } from '../../base/failure.ts'
import { parse } from '../../base/parse.ts'
import type { App } from '../../context/app.ts'
import { tokenOf } from '../../github/access.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../operations/contract.ts'
import { type Answer, perform } from '../../operations/perform.ts'
import { readJson } from './body.ts'
import { onlyMethods, sendJson } from './exchange.ts'
import type { Limits } from './limits.ts'

export function restRouter(app: App, { admit, countRefusal }: Limits): Router {
  const router = Router()
  // `/activity/check` goes before `/activity/{id}`, which would take it for an id.
  const all = Object.entries(OPERATIONS) as [OperationName, Operation][]
  const paths = [...new Set(all.map(([, { path }]) => path))]
  for (const path of paths.sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))) {
    const operations = all.filter(([, operation]) => operation.path === path)
    const route = router.route(`/repos/:owner/:repo${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
    for (const [name, { method }] of operations)
      route[lower(method)](findToken, ...admit, carryOut(app, name, countRefusal))
    route.all(onlyMethods(operations.map(([, { method }]) => method)))
  }
  return router
}

function lower(method: Operation['method']) {
  return method.toLowerCase() as Lowercase<Operation['method']>
}

/** Leaves the token, where there is one, for what follows. Whether it is any good, GitHub says. */
export const findToken: RequestHandler = (req, res, next) => {
  const secret = /^bearer +([\x21-\x7e]{1,2000}) *$/i.exec(req.headers.authorization ?? '')?.[1]
  if (secret !== undefined) res.locals.token = tokenOf(secret)
  next()
}

function carryOut(app: App, name: OperationName, countRefusal: Limits['countRefusal']): RequestHandler {
  const isGet = OPERATIONS[name].method === 'GET'
  return async (req: Request, res: Response) => {
    res.locals.operation = name
    const answer = await answerTo(req, res).catch(async (error) => {
      if (error instanceof Failure && error.kind === 'unauthorized') await countRefusal(req)
      throw error
    })
    if (answer.created_id !== null)
      res.setHeader('Location', `${req.baseUrl}${req.path.replace(/\/$/, '')}/${answer.created_id}`)
    if (answer.replayed) res.setHeader('Idempotent-Replayed', 'true')
    sendJson(res, answer.status, answer.body)
  }

  async function answerTo(req: Request, res: Response): Promise<Answer> {
    if (res.locals.token === undefined) throw noToken()
    const { owner, repo, id } = req.params as Record<string, string>
    return perform(app, name, {
      token: res.locals.token,
      owner: owner ?? '',
      repo: repo ?? '',
      id: id ?? '',
      input: () => (isGet ? req.query : bodyOf(req)),
      idempotency_key: req.get('Idempotency-Key'),
    })
  }
}

const NoQuery = z.strictObject({})

/** The body of a request whose query is to be empty: a parameter that were passed over would be taken for one that works. */
function bodyOf(req: Request): Promise<object> {
  parse(NoQuery, req.query, 'parameter')
  return readJson(req)
}

export function noToken(): Failure {
  return new Failure('unauthorized', 'send a GitHub token as Authorization: Bearer TOKEN', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
