/** The REST surface: one route per operation of the contract. */
import { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import type { Operation } from '../../../vocabulary/contract/operation.ts'
import { parse } from '../../../vocabulary/contract/parse.ts'
import { routeOf } from '../../../vocabulary/contract/route.ts'
import type { Caller } from '../../operations/admission.ts'
import { perform } from '../../operations/perform.ts'
import type { App } from '../../records/repositories/app.ts'
import { readJson } from './body.ts'
import { onlyMethods, sendJson } from './exchange.ts'

export function restRouter(app: App): Router {
  const router = Router()
  const all = Object.entries(OPERATIONS) as [OperationName, Operation][]
  // Literal paths first: `/activity/{id}` would match `/activity/check` too.
  const paths = [...new Set(all.map(([, operation]) => routeOf(operation)))]
  for (const path of paths.sort((a, b) => Number(a.includes('{id}')) - Number(b.includes('{id}')))) {
    const operations = all.filter(([, operation]) => routeOf(operation) === path)
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    for (const [name, { method }] of operations) route[lower(method)](operationHandler(app, name))
    route.all(onlyMethods(operations.map(([, { method }]) => method)))
  }
  return router
}

function lower(method: Operation['method']) {
  return method.toLowerCase() as Lowercase<Operation['method']>
}

function operationHandler(app: App, name: OperationName): RequestHandler {
  const isGet = OPERATIONS[name].method === 'GET'
  return async (req, res) => {
    const { owner = '', repo = '', id = '', number = '' } = req.params as Record<string, string>
    const caller: Caller = res.locals.caller
    res.locals.operation = name
    const { status, body, etag, created_id, replayed } = await perform(app, name, {
      caller,
      source: 'rest',
      owner,
      repo,
      id: id || number,
      input: () => (isGet ? req.query : readBody(req, caller)),
      idempotency_key: req.get('Idempotency-Key'),
      if_none_match: req.get('If-None-Match'),
    })
    if (created_id !== null)
      res.setHeader('Location', `${req.baseUrl}${req.path.replace(/\/$/, '')}/${created_id}`)
    if (replayed) res.setHeader('Idempotent-Replayed', 'true')
    if (etag !== undefined) res.setHeader('ETag', etag)
    if (status === 304) res.status(304).end()
    else sendJson(res, status, body)
  }
}

const NoQuery = z.strictObject({})

/** Reads the body. Rejects query parameters, because a client would assume that they have an effect. */
function readBody(req: Request, { meter }: Caller): Promise<object> {
  parse(NoQuery, req.query, 'parameter')
  return readJson(req, meter)
}
