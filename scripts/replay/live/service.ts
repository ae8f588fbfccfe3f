/** The real service for a live replay: a real database, a clock that is set, and a fake GitHub on loopback. */
import { eq, min } from 'drizzle-orm'
import { pino } from 'pino'
import { handleDelivery } from '../../../src/server/doors/webhooks/deliveries.ts'
import { firstJobs, jobHandlers } from '../../../src/server/github/tracking/jobs.ts'
import { RECONCILE_ALL } from '../../../src/server/github/tracking/reconcile.ts'
import { REDELIVER } from '../../../src/server/github/tracking/redeliver.ts'
import { type JobHandler, runNext } from '../../../src/server/jobs/jobs.ts'
import { DELIVERY, enqueue } from '../../../src/server/jobs/store.ts'
import { jobs } from '../../../src/server/jobs/table.ts'
import { sweep } from '../../../src/server/operations/sweep.ts'
import { readConfig } from '../../../src/server/platform/config.ts'
import { startService } from '../../../src/server/server.ts'
import { type Api, apiAt } from '../../../test/support/api.ts'
import { type Deployment, startDeployment } from '../../../test/support/deployment.ts'
import { startCluster } from '../../../test/support/postgres.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'

const DAY_MS = 86_400_000
const RECONCILE_MS = DAY_MS / 2

export interface LiveService {
  github: Deployment['github']
  clock: { now: Date }
  /** Runs everything that is due until `at`, at the times when it is due, and sets the clock to `at`. */
  advanceTo(at: Date): Promise<void>
  /** Posts a signed delivery and runs the jobs that are due. */
  deliver(webhook: Webhook): Promise<void>
  api(token: string): Api
  close(): Promise<void>
}

/** Starts the service on a PostgreSQL cluster of its own. `full_name`: the repository, on which the App is installed. */
export async function startLiveService(full_name: string, now: Date): Promise<LiveService> {
  const cluster = await startCluster()
  const deployment = await startDeployment([full_name])
  const config = readConfig({
    ...deployment.app_env,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: cluster.url,
  })
  const clock = { now }
  const service = await startService(config, {
    clock: () => clock.now,
    has_workers: false,
    paces_writes: false,
    log: pino({ level: 'error' }, pino.destination(2)),
  })
  const { app } = service
  const db = app.database.connection()
  const handled = jobHandlers(app)
  const handlers: Record<string, JobHandler> = {
    ...handled,
    [DELIVERY]: handleDelivery(app),
    // No delivery fails here. Looking for failed ones every ten minutes would take most of the time of a replay.
    [REDELIVER]: async () => {},
    // It looks every minute for what was not delivered. Here all is, but pull requests have to outlive their time to live.
    async [RECONCILE_ALL](job, now) {
      await handled[RECONCILE_ALL]?.(job, now)
      await db
        .update(jobs)
        .set({ run_at: new Date(now.getTime() + RECONCILE_MS) })
        .where(eq(jobs.id, RECONCILE_ALL))
    },
  }
  const runner = {
    database: app.database,
    clock: () => clock.now,
    log: app.log,
    metrics: app.metrics,
    handlers,
    served: [],
  }
  const runDue = async () => {
    while (await runNext(runner)) {
      // Each call runs one job.
    }
  }
  const nextDue = async () => {
    const [row] = await db
      .select({ at: min(jobs.run_at) })
      .from(jobs)
      .where(eq(jobs.state, 'pending'))
    return row?.at ?? null
  }
  let swept = now
  const advanceTo = async (at: Date) => {
    for (let due = await nextDue(); due !== null && due <= at; due = await nextDue()) {
      if (due > clock.now) clock.now = due
      await runDue()
      if (clock.now.getTime() - swept.getTime() > DAY_MS) {
        swept = clock.now
        await sweep(app)
      }
    }
    if (at > clock.now) clock.now = at
  }
  await enqueue(db, firstJobs(now), now)
  return {
    github: deployment.github,
    clock,
    advanceTo,
    async deliver(webhook) {
      const status = await deployment.deliver(service.url, webhook)
      if (status !== 202) throw new Error(`${webhook.event}: ${status}`)
      await runDue()
    },
    api: (token) => apiAt(service.url, token),
    async close() {
      await service.close()
      await deployment.close()
      await cluster.remove()
    },
  }
}
