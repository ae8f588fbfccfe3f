/** Starts and stops the service: configuration → app → HTTP server and workers → shutdown. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Clock } from '../vocabulary/clock.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, httpServer } from './doors/http/http-server.ts'
import { httpSurface } from './doors/http/routes.ts'
import { dashboard } from './doors/page/dashboard.ts'
import { LOCAL_SIGN_IN_PATH, LocalSignIn } from './doors/page/local-sign-in.ts'
import { actingAs, forwardChannel } from './doors/webhooks/acting-app.ts'
import { receiveDelivery } from './doors/webhooks/deliveries.ts'
import { Access } from './github/access.ts'
import { openClient } from './github/client.ts'
import { LIST_LIMITS, type ListLimits } from './github/repository-calls.ts'
import { adoptCreatedApp } from './github/setup/created-app.ts'
import { watchUntil } from './github/tracking/watch.ts'
import { Watch } from './github/watched-repositories.ts'
import { Wakeup } from './jobs/jobs.ts'
import { sweepUntil } from './operations/sweep.ts'
import { BackgroundWork, SingleFlight } from './platform/background.ts'
import type { Config } from './platform/config.ts'
import { announce, DatabaseClock } from './platform/db/database.ts'
import { faultOf } from './platform/db/errors.ts'
import { openDatabase, unopenedDatabase } from './platform/db/open.ts'
import { openAuditLog } from './platform/telemetry/audit.ts'
import { openLog } from './platform/telemetry/log.ts'
import { openMetrics } from './platform/telemetry/metrics.ts'
import { LiveSets } from './records/live-sets/store.ts'
import type { App } from './records/repositories/app.ts'

export interface Service {
  app: App
  /** The local URL. */
  url: string
  /** Where the GitHub App can be created, with a one-time code; null if there is an App already, or no public address. */
  setup_url: string | null
  /** An address that signs one browser in with `token` and shows the path, such as `/#/acme/shop`; null if others can reach the service. */
  signInUrl(token: string, path: string): string | null
  /** Stops accepting requests, drains those in flight, and closes the database. */
  close(): Promise<void>
}

/** The maximum size of all cached comparisons together, in characters. */
const COMPARISONS_MAX = 4_000_000

/** Channel on which instances announce owners whose permissions may have changed. */
const ACCESS_CHANNEL = 'deconflict_access'

/** How many names of repositories are held that GitHub has shown. */
const NAMES_MAX = 50_000

/** How much work that follows responses runs at the same time, and how much waits at most. */
const BACKGROUND_AT_ONCE = 2
const BACKGROUND_MAX = 1000

/** Timeout of requests in flight after shutdown begins. */
const DRAIN_MS = 6000
/** Timeout of requests and jobs during shutdown. A job that does not finish runs again when its lease expires. */
const STOP_MS = 7000
/** Timeout of closing the database. Platforms kill a process ten seconds after SIGTERM. */
const CLOSE_MS = 1500
/** Idle timeout of connections during shutdown. */
const IDLE_MS = 100

/** Options that only tests set. */
export interface ServiceOptions {
  clock?: Clock
  log?: Logger
  connection_limits?: Partial<ConnectionLimits>
  /** If false, jobs and the sweep run only when the test runs them. */
  has_workers?: boolean
  /** If false, writes to GitHub and imports are not paced. */
  paces_writes?: boolean
  list_limits?: ListLimits
  /** How long the idle worker waits before it polls for jobs again. */
  job_poll_ms?: number
}

/** The parts of the service, before it listens. `github` is the client that sign-in uses too. */
function assemble(config: Config, options: ServiceOptions) {
  const database_clock = new DatabaseClock()
  const clock = options.clock ?? database_clock.now
  const log = options.log ?? openLog(config.log_level)
  const metrics = openMetrics(clock)
  const onAuditError = (error: unknown) => {
    metrics.audit_failures.inc()
    log.error(faultOf(error), 'line not written to AUDIT_LOG; make it writable')
  }
  const database = unopenedDatabase(config.database_url ? 'postgres' : 'embedded')
  const github = openClient('caller', { metrics, log }, { api_url: config.github_api_url })
  const app: App = {
    config,
    clock,
    log,
    metrics,
    audit: config.audit_log === null ? null : openAuditLog(config.audit_log, onAuditError),
    database,
    access: new Access({ github, clock, ttl_ms: config.permission_ttl_ms, metrics }),
    names_shown: new LRUCache({ max: NAMES_MAX }),
    github_app: null,
    paces_writes: options.paces_writes ?? true,
    list_limits: options.list_limits ?? LIST_LIMITS,
    sign_in: config.sign_in,
    watch: config.watch && new Watch(config.watch, { api_url: config.github_api_url, clock, log, metrics }),
    live_sets: new LiveSets(),
    comparisons: new SingleFlight({ size: COMPARISONS_MAX, counter: metrics.comparisons }),
    background: new BackgroundWork({
      at_once: BACKGROUND_AT_ONCE,
      waiting_max: BACKGROUND_MAX,
      counter: metrics.background,
      onError: (error) => log.error(faultOf(error), 'work after a response failed'),
    }),
    invalidateAccess: (owner) => announce(database.connection(), ACCESS_CHANNEL, owner),
    wakeup: new Wakeup(),
  }
  return { app, github, database_clock }
}

/** Resolves when the service is ready. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { has_workers = true } = options
  const { app, github, database_clock } = assemble(config, options)
  const workers: Promise<void>[] = []
  const stop = new AbortController()
  const actAs = actingAs(app, {
    poll_ms: options.job_poll_ms,
    work: (run) => {
      if (has_workers) workers.push(run(stop.signal))
    },
  })
  if (config.github_app) app.github_app = await actAs.open(config.github_app)
  const local = new LocalSignIn(app.clock)
  const limits = { ...CONNECTION_LIMITS, ...options.connection_limits }
  const surfaces = {
    webhooks: receiveDelivery(app, limits),
    page: dashboard(app, { local, github, useCreatedApp: actAs.created }),
  }
  const server = httpServer(httpSurface(app, surfaces), { limits, log: app.log })
  let setup_url: string | null = null
  let stopChannel = () => {}
  try {
    // Listen before migrating: `/healthz` responds meanwhile (everything else with 503), and a port conflict is found early.
    await listen(server, config)
    Object.assign(app.database, await openDatabase(config))
    await database_clock.synchronize(app.database.connection())
    await app.database.listen(ACCESS_CHANNEL, {
      received: (owner) => app.access.invalidate(owner),
      missed: () => {
        app.access.invalidate()
        // A standby that took over may lack commits, and give their versions to others.
        app.live_sets = new LiveSets()
      },
    })
    if (app.github_app) await actAs.connected(app.github_app)
    else setup_url = await adoptCreatedApp(app, actAs.created)
    if (app.watch || config.notify) actAs.startWorker()
    const channel = config.webhook_proxy_url
    const target = `${formatUrl(server, config)}/api/github/webhooks`
    if (channel) stopChannel = await forwardChannel(app, { channel, target })
  } catch (error) {
    stop.abort()
    server.close().closeAllConnections()
    await Promise.all(workers)
    await app.database.close()
    throw error
  }
  const stopClock = database_clock.keepSynchronized(app.database)
  if (has_workers) workers.push(sweepUntil(app, stop.signal))
  if (has_workers && app.watch) workers.push(watchUntil(app, stop.signal))
  return {
    app,
    url: formatUrl(server, config),
    setup_url,
    signInUrl: (token, path) =>
      isLocal(server)
        ? `${formatUrl(server, config)}${LOCAL_SIGN_IN_PATH}?code=${local.issue(token, path)}`
        : null,
    close: async () => {
      stop.abort()
      stopClock()
      stopChannel()
      await withTimeout(Promise.all([drain(server).then(() => app.background.idle()), ...workers]), STOP_MS)
      await withTimeout(Promise.all([app.database.close(), app.audit?.idle()]), CLOSE_MS)
    },
  }
}

/** Resolves when `work` ends, or after `ms`. */
async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  await Promise.race([work, wait(ms, undefined, { ref: false })])
}

async function listen(server: Server, { port, host }: Config): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

/** Whether only this machine can reach the server. */
function isLocal(server: Server): boolean {
  const { address } = server.address() as AddressInfo
  return address === '::1' || address.startsWith('127.')
}

function formatUrl(server: Server, { host }: Config): string {
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
