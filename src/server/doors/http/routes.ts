/** The Express app: all routes and their middleware. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { VERSION } from '../../../vocabulary/version.ts'
import { gaugeCollector } from '../../operations/admin/gauges.ts'
import type { CallerOf } from '../../operations/admission.ts'
import type { App } from '../../records/repositories/app.ts'
import {
  exchange,
  findCaller,
  named,
  onlyMethods,
  routeNotFound,
  sendFailures,
  sendJson,
} from './exchange.ts'
import { answerMessages, METADATA_PATHS, showProtectedResource } from './mcp-route.ts'
import { openApiDocument } from './openapi.ts'
import { restRouter } from './rest.ts'

/** The other surfaces that this server hosts. */
export interface HostedSurfaces {
  /** Handlers of `POST /api/github/webhooks`. */
  webhooks: (RequestHandler | ErrorRequestHandler)[]
  /** The page at `/`. `authenticate` adds the token of the session to requests of the page; `assets` serves its files. */
  page: { authenticate: RequestHandler; routes: Route[]; assets: RequestHandler[] }
}

interface Route {
  /** The name in metrics and logs. */
  name: string
  method: 'GET' | 'POST'
  path: string | string[]
  handler: RequestHandler | (RequestHandler | ErrorRequestHandler)[]
}

export function httpSurface(app: App, callerOf: CallerOf, { webhooks, page }: HostedSurfaces): Express {
  const surface = express()
  surface.disable('x-powered-by')
  surface.disable('etag')
  surface.set('query parser', 'simple')
  surface.set('trust proxy', app.config.trust_proxy ?? false)
  surface.use(exchange(app))
  surface.use(page.authenticate)
  surface.use(findCaller(callerOf))
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
  const health = JSON.stringify({ status: 'ok', version: VERSION, github_host: githubHost(app) })
  const ready: RequestHandler = async (_req, res) => {
    await app.database.ping()
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

/** The host of the repositories. Clients compare it with the remote of a working tree. */
function githubHost({ config }: App): string {
  return new URL(config.github_web_url).host
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
