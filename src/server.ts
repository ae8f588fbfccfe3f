/** Starts and stops the service: configuration → app → HTTP server and workers → shutdown. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, systemClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import { SingleFlight } from './base/single-flight.ts'
import type { App } from './context/app.ts'
import { ChangeFeed } from './context/change-feed.ts'
import { openDatabase, pendingDatabase } from './db/open.ts'
import { Access } from './github/access.ts'
import type { GithubApp } from './github/app.ts'
import { openGithub } from './github/octokit.ts'
import { Watch } from './github/watch.ts'
import { type JobHandler, type Polling, runUntil } from './jobs/jobs.ts'
import { enqueue } from './jobs/store.ts'
import { Wakeup } from './jobs/wakeup.ts'
import { Admission } from './operations/admission.ts'
import { sweepUntil } from './operations/sweep.ts'
import { firstJobs, jobHandlers } from './pull-requests/jobs.ts'
import { watchUntil } from './pull-requests/watch.ts'
import { dashboard } from './surfaces/dashboard/dashboard.ts'
import { EventStreams } from './surfaces/dashboard/event-streams.ts'
import { httpSurface } from './surfaces/http/http.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, httpServer } from './surfaces/http/http-server.ts'
import type { McpExchange } from './surfaces/mcp/mcp.ts'
import { DELIVERY, handleDelivery, receiveDelivery } from './surfaces/webhooks/deliveries.ts'
import { handleEvents } from './surfaces/webhooks/events.ts'
import { openLog } from './telemetry/log.ts'
import { openMetrics } from './telemetry/metrics.ts'

export interface Service {
  app: App
  /** The local URL. */
  url: string
  /** Stops accepting requests, drains those in flight, and closes the database. */
  close(): Promise<void>
}

/** Channel on which instances announce owners whose permissions may have changed. */
const ACCESS_CHANNEL = 'deconflict_access'

/** The maximum size of all cached comparisons, in characters. */
const COMPARISONS_KEPT = 4_000_000

/** Timeout of requests in flight after shutdown begins. */
const DRAIN_MS = 6000
/** Timeout of requests and jobs during shutdown. A job that does not finish runs again when its lease expires. */
const STOP_MS = 7000
/** Timeout of closing the database. Platforms kill a process ten seconds after SIGTERM. */
const CLOSE_MS = 1500
/** Idle timeout of connections during shutdown. */
const IDLE_MS = 100

/** Replaced by tests. */
export interface ServiceOptions {
  clock?: Clock
  log?: Logger
  connection_limits?: Partial<ConnectionLimits>
  /** If false, jobs and the sweep run only when the test runs them. */
  has_workers?: boolean
  /** If false, writes to GitHub are not paced. */
  paces_writes?: boolean
  /** How long the idle worker waits before it polls for jobs again. */
  job_poll_ms?: number
}

/** Resolves when the service is ready. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { has_workers = true, paces_writes = true } = options
  const clock = options.clock ?? systemClock
  const log = options.log ?? openLog(config.log_level)
  const metrics = openMetrics(clock)
  const { database, opened } = pendingDatabase(config.database_url ? 'postgres' : 'embedded')
  const github = openGithub(config.github_api_url, { metrics, log })
  const access = new Access({ github, clock, ttl_ms: config.permission_ttl_ms, metrics })
  const github_app =
    config.github_app &&
    (await import('./github/app.ts')).openGithubApp(config.github_app, {
      api_url: config.github_api_url,
      log,
      metrics,
      paces_writes,
    })
  const watch =
    config.watch && new Watch(config.watch, { api_url: config.github_api_url, clock, log, metrics })
  const forgetAccess = (owner: string) => database.announce(ACCESS_CHANNEL, owner)
  const change_feed = new ChangeFeed(database, log)
  const wakeup = new Wakeup()
  const comparisons = new SingleFlight({
    size: COMPARISONS_KEPT,
    count: (outcome) => metrics.comparisons.inc({ outcome }),
  })
  const app: App = {
    config,
    clock,
    log,
    metrics,
    database,
    access,
    github_app,
    watch,
    change_feed,
    comparisons,
    forgetAccess,
    wakeWorker: () => wakeup.wake(),
  }
  const streams = new EventStreams(app)
  const stop = new AbortController()
  const limits = { ...CONNECTION_LIMITS, ...options.connection_limits }
  const surfaces = {
    webhooks: receiveDelivery(app, limits),
    mcp: mcpOnDemand(app),
    page: dashboard(app, streams),
  }
  const server = httpServer(httpSurface(app, new Admission(app), surfaces), { limits, log })
  const workers: Promise<void>[] = []
  try {
    // Listen first: `/healthz` responds while migrations run (everything else is 503), and a port conflict fails before them.
    await listen(server, config)
    opened(await openDatabase(config))
    await change_feed.subscribe((repo_ids) => streams.sendChanged(repo_ids))
    const runJobs = await prepareJobs(app, { wakeup, poll_ms: options.job_poll_ms })
    if (runJobs && has_workers) workers.push(runJobs(stop.signal))
  } catch (error) {
    stop.abort()
    server.close().closeAllConnections()
    await Promise.all(workers)
    await database.close()
    throw error
  }
  if (has_workers) workers.push(sweepUntil(app, stop.signal))
  if (has_workers && watch) workers.push(watchUntil(app, stop.signal))
  return {
    app,
    url: urlOf(server, config),
    close: async () => {
      stop.abort()
      change_feed.stop()
      streams.close()
      await withTimeout(Promise.all([drain(server), ...workers]), STOP_MS)
      await withTimeout(database.close(), CLOSE_MS)
    },
  }
}

/** Resolves when `work` ends, or after `ms`. */
async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  await Promise.race([work, wait(ms, undefined, { ref: false })])
}

/** Subscribes the GitHub App to its events, and returns a function that runs jobs until the signal is aborted. Null without an App and without watched repositories. */
async function prepareJobs(
  app: App,
  polling: Polling,
): Promise<((signal: AbortSignal) => Promise<void>) | null> {
  if (!app.github_app && !app.watch) return null
  const { clock, database, log, metrics } = app
  const handlers = { ...jobHandlers(app), ...(app.github_app && (await prepareApp(app, app.github_app))) }
  return (signal) => runUntil({ database, clock, log, metrics, handlers }, polling, signal)
}

async function prepareApp(app: App, { probot }: GithubApp): Promise<Record<string, JobHandler>> {
  const { access, clock, database } = app
  await database.listen(ACCESS_CHANNEL, {
    heard: (owner) => access.invalidate(owner),
    missed: () => access.invalidate(),
  })
  handleEvents(app, probot)
  await enqueue(database.connection(), firstJobs(clock()), clock())
  return { [DELIVERY]: handleDelivery(app) }
}

/** Loads the protocol's library with the first message: loading it takes a third of the time of a start. */
function mcpOnDemand(app: App): (exchange: McpExchange) => Promise<void> {
  let loaded: Promise<(exchange: McpExchange) => Promise<void>> | undefined
  return async (exchange) => {
    loaded ??= import('./surfaces/mcp/mcp.ts').then(({ mcpOverHttp }) => mcpOverHttp(app))
    const handle = await loaded
    await handle(exchange)
  }
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
 * Closes the server after the last request. Responses close their connections from now on. An idle connection is closed
 * after a short wait, because a request may already be on its way.
 */
async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  await wait(IDLE_MS)
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(idle)
  clearTimeout(deadline)
}
