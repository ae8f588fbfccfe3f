/** The REST surface: one route for each operation of the contract (specification §4). */
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { parse } from '../../base/parse.ts'
import type { App } from '../../context/app.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../operations/contract.ts'
import { type Answer, perform } from '../../operations/perform.ts'
import { readJson } from './body.ts'
import { onlyMethods, sendJson } from './exchange.ts'

export function restRouter(app: App): Router {
  const router = Router()
  // `/activity/check` goes before `/activity/{id}`, which would take it for an id.
  const all = Object.entries(OPERATIONS) as [OperationName, Operation][]
  const paths = [...new Set(all.map(([, { path }]) => path))]
  for (const path of paths.sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))) {
    const operations = all.filter(([, operation]) => operation.path === path)
    const route = router.route(`/repos/:owner/:repo${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
    for (const [name, { method }] of operations) route[lower(method)](carryOut(app, name))
    route.all(onlyMethods(operations.map(([, { method }]) => method)))
  }
  return router
}

function lower(method: Operation['method']) {
  return method.toLowerCase() as Lowercase<Operation['method']>
}

function carryOut(app: App, name: OperationName): RequestHandler {
  const isGet = OPERATIONS[name].method === 'GET'
  return async (req: Request, res: Response) => {
    res.locals.operation = name
    const answer = await answerTo(req, res)
    if (answer.created_id !== null)
      res.setHeader('Location', `${req.baseUrl}${req.path.replace(/\/$/, '')}/${answer.created_id}`)
    if (answer.replayed) res.setHeader('Idempotent-Replayed', 'true')
    sendJson(res, answer.status, answer.body)
  }

  function answerTo(req: Request, res: Response): Promise<Answer> {
    const { owner, repo, id } = req.params as Record<string, string>
    return perform(app, name, {
      caller: res.locals.caller,
      owner: owner ?? '',
      repo: repo ?? '',
      id: id ?? '',
      input: () => (isGet ? req.query : bodyOf(req)),
      idempotency_key: req.get('Idempotency-Key'),
      signal: goneSignal(res),
    })
  }
}

/** Aborted when the client closes the connection. After an answer that means nothing. */
function goneSignal(res: Response): AbortSignal {
  const controller = new AbortController()
  if (res.destroyed) controller.abort()
  res.once('close', () => controller.abort())
  return controller.signal
}

const NoQuery = z.strictObject({})

/** The body of a request whose query is to be empty: a parameter that were passed over would be taken for one that works. */
function bodyOf(req: Request): Promise<object> {
  parse(NoQuery, req.query, 'parameter')
  return readJson(req)
}
