/** The Express app: all routes and their middleware. REST has one route for each path of the contract. */
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  Router,
} from 'express'
import { z } from 'zod'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import type { Operation } from '../../../vocabulary/contract/operation.ts'
import { parse } from '../../../vocabulary/contract/parse.ts'
import { routeOf } from '../../../vocabulary/contract/route.ts'
import { VERSION } from '../../../vocabulary/version.ts'
import { gaugeCollector } from '../../operations/admin/gauges.ts'
import type { Caller } from '../../operations/admission.ts'
import { perform } from '../../operations/perform.ts'
import { ping } from '../../platform/db/database.ts'
import type { App } from '../../records/repositories/app.ts'
import { readJson } from './body.ts'
import {
  exchange,
  type FindToken,
  findCaller,
  named,
  onlyMethods,
  routeNotFound,
  sendFailures,
  sendJson,
} from './exchange.ts'
import { answerMessages, METADATA_PATHS, showProtectedResource } from './mcp-route.ts'
import { openApiDocument } from './openapi.ts'

/** The other surfaces that this server hosts. */
export interface HostedSurfaces {
  /** Handlers of `POST /api/github/webhooks`. */
  webhooks: (RequestHandler | ErrorRequestHandler)[]
  /** The page at `/`. `findToken`: the token of the session of a request; `assets` serves its files. */
  page: { findToken: FindToken; routes: Route[]; assets: RequestHandler[] }
}

interface Route {
  /** The name in metrics and logs. */
  name: string
  method: 'GET' | 'POST'
  path: string | string[]
  handler: RequestHandler | (RequestHandler | ErrorRequestHandler)[]
}

export function httpSurface(app: App, { webhooks, page }: HostedSurfaces): Express {
  const surface = express()
  surface.disable('x-powered-by')
  surface.disable('etag')
  surface.set('query parser', 'simple')
  surface.set('trust proxy', app.config.trust_proxy ?? false)
  surface.use(exchange(app))
  surface.use(findCaller(app, page.findToken))
  const serve = ({ name, method, path, handler }: Route) => {
    const route = surface.route(path).all(named(name))
    if (method === 'GET') route.get(handler)
    else route.post(handler)
    route.all(onlyMethods([method]))
  }
  const rest = restRouter(app)
  for (const base of ['/api/v1', '/v1']) {
    serve({
      name: 'openapi',
      method: 'GET',
      path: `${base}/openapi.json`,
      handler: (_req, res) => sendJson(res, 200, JSON.stringify(openApiDocument(base))),
    })
    surface.use(base, rest)
  }
  // Clients compare the host with that of the remote of a working tree.
  const { host: github_host } = new URL(app.config.github_web_url)
  const health = JSON.stringify({ status: 'ok', version: VERSION, github_host })
  const ready: RequestHandler = async (_req, res) => {
    await ping(app.database.connection())
    sendJson(res, 200, '{"status":"ok"}')
  }
  const routes: Route[] = [
    { name: 'healthz', method: 'GET', path: '/healthz', handler: (_req, res) => sendJson(res, 200, health) },
    { name: 'readyz', method: 'GET', path: '/readyz', handler: ready },
    { name: 'metrics', method: 'GET', path: '/metrics', handler: showMetrics(app) },
    { name: 'mcp', method: 'POST', path: '/mcp', handler: answerMessages(app) },
    { name: 'mcp-metadata', method: 'GET', path: METADATA_PATHS, handler: showProtectedResource(app) },
    { name: 'webhook', method: 'POST', path: '/api/github/webhooks', handler: webhooks },
  ]
  for (const route of [...routes, ...page.routes]) serve(route)
  surface.use('/assets', page.assets)
  surface.use(routeNotFound)
  surface.use(sendFailures(app.log))
  return surface
}

/** For Prometheus. Responds with 200 even if the database is unavailable. It has no authentication, so do not expose it to the internet (docs/observability.md). */
function showMetrics(app: App): RequestHandler {
  const { registry } = app.metrics
  const collectGauges = gaugeCollector(app)
  return async (_req, res) => {
    await collectGauges()
    const text = await registry.metrics()
    res.statusCode = 200
    res.setHeader('Content-Type', registry.contentType)
    res.setHeader('Content-Length', Buffer.byteLength(text))
    res.end(text)
  }
}

function restRouter(app: App): Router {
  const router = Router()
  const all = Object.entries(OPERATIONS) as [OperationName, Operation][]
  // Literal paths first: `/activity/{id}` would match `/activity/check` too.
  const paths = [...new Set(all.map(([, operation]) => routeOf(operation)))]
  for (const path of paths.sort((a, b) => Number(a.includes('{id}')) - Number(b.includes('{id}')))) {
    const operations = all.filter(([, operation]) => routeOf(operation) === path)
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    for (const [name, { method }] of operations)
      route[method.toLowerCase() as Lowercase<typeof method>](operationHandler(app, name))
    route.all(onlyMethods(operations.map(([, { method }]) => method)))
  }
  return router
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
    if (created_id !== undefined)
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
