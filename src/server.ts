/** Puts the service together: configuration → app → HTTP server and workers, and their end. */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Express } from 'express'
import { type Logger, pino } from 'pino'
import { type Clock, systemClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import { newId } from './base/id.ts'
import type { App } from './context/app.ts'
import { openDatabase } from './db/connect.ts'
import { Access } from './github/access.ts'
import { openGithubApp } from './github/app.ts'
import { openGithub } from './github/octokit.ts'
import { runUntil } from './jobs/jobs.ts'
import { ask } from './jobs/store.ts'
import { sweepUntil } from './operations/sweep.ts'
import { jobHandlers } from './pull-requests/jobs.ts'
import { firstJobs } from './pull-requests/reconcile.ts'
import { httpSurface } from './surfaces/http/http.ts'
import { DELIVERY, handleDelivery, receiveDelivery } from './surfaces/webhooks/deliveries.ts'
import { handleEvents } from './surfaces/webhooks/events.ts'

export interface Service {
  app: App
  /** Where it answers, on this machine. */
  url: string
  /** Takes no new requests, lets those in flight end, and closes the database. */
  close(): Promise<void>
}

/** Where instances tell each other whose permissions may have changed. */
const ACCESS_CHANNEL = 'deconflict_access'

/** How long requests in flight may take after the service was told to stop. */
const DRAIN_MS = 6000
/** How long all that runs may take then; a job that does not end is taken up again when its lease is over. */
const STOP_MS = 7000
/** How long a connection without a request is kept then. */
const IDLE_MS = 100

/** Starts the service; it answers from the moment that this resolves. Tests hand in their own clock and log. */
export async function startService(
  config: Config,
  options: { clock?: Clock; log?: Logger } = {},
): Promise<Service> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? pino({ level: config.log_level, base: undefined })
  const database = await openDatabase(config)
  const github = openGithub(config.github_api_url)
  const access = new Access({ github, clock, ttl_ms: config.permission_ttl_ms })
  const github_app =
    config.github_app && openGithubApp(config.github_app, { api_url: config.github_api_url, log })
  const forgetAccess = (owner: string) => database.announce(ACCESS_CHANNEL, owner)
  const app: App = { config, clock, log, database, access, github_app, forgetAccess }
  const stop = new AbortController()
  const server = serverOf(httpSurface(app, receiveDelivery(app)))
  const workers: Promise<void>[] = []
  try {
    workers.push(...(await startApp(app, stop.signal)))
    await listen(server, config)
  } catch (error) {
    stop.abort()
    await Promise.all(workers)
    await database.close()
    throw error
  }
  workers.push(sweepUntil(app, stop.signal))
  return {
    app,
    url: urlOf(server, config),
    close: async () => {
      stop.abort()
      await Promise.race([Promise.all([drain(server), ...workers]), wait(STOP_MS, undefined, { ref: false })])
      await database.close()
    },
  }
}

/** Starts what the GitHub App does; nothing without one. Answers the workers that run until `signal` is aborted. */
async function startApp(app: App, signal: AbortSignal): Promise<Promise<void>[]> {
  if (!app.github_app) return []
  const { access, clock, database, log } = app
  await database.listen(ACCESS_CHANNEL, {
    heard: (owner) => access.forget(owner),
    missed: () => access.forget(),
  })
  handleEvents(app, app.github_app.probot)
  await ask(database.connection(), firstJobs(clock()), clock())
  const handlers = { ...jobHandlers(app), [DELIVERY]: handleDelivery(app) }
  return [runUntil({ database, clock, log, handlers }, signal)]
}

/**
 * The HTTP server. Express gives every request and response its own prototypes, which is most of what it costs; objects
 * that are made with these prototypes are spared that.
 */
function serverOf(surface: Express): Server {
  const server = createServer(
    {
      IncomingMessage: constructorOf(IncomingMessage, surface.request),
      ServerResponse: constructorOf(ServerResponse, surface.response),
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    },
    surface,
  )
  server.on('clientError', refuseGarbage)
  return server
}

/** What is no HTTP request never reaches Express; it is refused in the same form (contract §3). */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const request_id = newId('req')
  const message =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'the headers are too large' : 'this is no valid HTTP request'
  const body = JSON.stringify({ error: { type: 'invalid_request', message, request_id } })
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json',
      `X-Request-Id: ${request_id}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function constructorOf<Base extends typeof IncomingMessage | typeof ServerResponse>(
  base: Base,
  prototype: object,
): Base {
  function Built(...args: unknown[]) {
    return Reflect.construct(base, args, Built)
  }
  Built.prototype = prototype
  return Built as unknown as Base
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf(server: Server, { host }: Config): string {
  const { port } = server.address() as AddressInfo
  const isAny = host === '0.0.0.0' || host === '::'
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Ends the server with the last request. Answers close their connections from now on. A connection that looks idle may
 * have a request on its way already, so it is given a moment before it is closed.
 */
async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  await wait(IDLE_MS)
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(idle)
  clearTimeout(cut)
}
