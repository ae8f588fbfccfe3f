/** The service with a configured GitHub App: delivers signed webhooks to it and runs the jobs that they enqueue. */
import { and, eq, isNotNull, lte, or, sql } from 'drizzle-orm'
import { afterEach } from 'vitest'
import { handleDelivery } from '../../src/server/doors/webhooks/deliveries.ts'
import { firstJobs, jobHandlers } from '../../src/server/github/tracking/jobs.ts'
import { type JobHandler, runNext } from '../../src/server/jobs/jobs.ts'
import { DELIVERY, enqueue } from '../../src/server/jobs/store.ts'
import { type JobRow, jobs } from '../../src/server/jobs/table.ts'
import { prepared } from '../../src/server/platform/db/database.ts'
import type { FakeGithub } from './github.ts'
import { startTestService, type TestServiceOptions, useGithub } from './service.ts'
import { useStarted } from './use-started.ts'
import type { Webhook } from './webhook-payload.ts'
import { signedDelivery } from './webhooks.ts'

export const WEBHOOK_SECRET = 'hush'

/** More jobs than any test enqueues. */
const JOB_RUNS_MAX = 10_000

export type AppService = Awaited<ReturnType<typeof startAppService>>

/** The jobs that are due and those with a last error. */
const readOpen = prepared('open_jobs_of_test', (db) => {
  const isDue = and(eq(jobs.state, 'pending'), lte(jobs.run_at, sql.placeholder('now')))
  return db
    .select({ id: jobs.id, last_error: jobs.last_error, is_due: sql<boolean>`${isDue}` })
    .from(jobs)
    .where(or(isDue, isNotNull(jobs.last_error)))
})

const failedIn = (open: Pick<JobRow, 'id' | 'last_error'>[]) =>
  open.flatMap(({ id, last_error }) => (last_error === null ? [] : [{ id, last_error }]))

export type AppServiceOptions = Omit<TestServiceOptions, 'token'>

/** Starts the service as the App of the fake GitHub, whose lists are as long as those of the service. */
export async function startAppService(github: FakeGithub, options: AppServiceOptions = {}) {
  const github_app = { id: github.app.id, private_key: github.app.key(), webhook_secret: WEBHOOK_SECRET }
  const config = { rate_limit_per_minute: 1_000_000, github_app, ...options.config }
  if (options.list_limits) github.state.list_limits = options.list_limits
  const service = await startTestService({ token: 'ada', ...options, config })
  const { app, db } = service
  const { clock, database, log, metrics } = app
  const handlers: Record<string, JobHandler> = { ...jobHandlers(app), [DELIVERY]: handleDelivery(app) }
  const runner = { database, clock, log, metrics, handlers }

  /** Posts a signed delivery; the same `id` again is a redelivery. Returns the HTTP status and the outcome. */
  const deliver = async (webhook: Webhook, id?: string) => {
    const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...webhook, ...(id && { id }) })
    const response = await fetch(`${service.url}/api/github/webhooks`, { method: 'POST', ...delivery })
    const { status, error } = (await response.json()) as { status?: string; error?: { type: string } }
    return { status: response.status, outcome: status ?? error?.type ?? '' }
  }
  const allJobs = () => db.select().from(jobs).orderBy(jobs.id)
  /**
   * Runs jobs until none is due, including those that other jobs enqueue. Returns the jobs with a last error.
   * The service has no worker of its own unless `has_workers` is set.
   */
  const runDueJobs = async () => {
    await app.background.idle()
    for (let ran = 0; ran < JOB_RUNS_MAX; ) {
      const open = await readOpen(db, { now: clock().toISOString() })
      const due = open.filter(({ is_due }) => is_due)
      if (due.length === 0) return failedIn(open)
      const from = ran
      for (const _ of due) if (await runNext(runner)) ran += 1
      // What is left waits for an import that GitHub's rate limit holds up.
      if (ran === from) return failedIn(open)
    }
    throw new Error(`jobs stay due: ${JSON.stringify(await allJobs())}`)
  }
  return {
    ...service,
    deliver,
    runDueJobs,
    /** Delivers the webhooks in order and runs the due jobs after each. */
    async deliverAndRun(...webhooks: Webhook[]) {
      for (const webhook of webhooks) {
        const { status, outcome } = await deliver(webhook)
        if (status !== 202) throw new Error(`${webhook.event}: ${status} ${outcome}`)
        const [failed] = await runDueJobs()
        if (failed) throw new Error(`${webhook.event}: ${failed.id} failed: ${failed.last_error}`)
      }
    },
    /** The stored jobs, all of them or those of a kind, ordered by id. */
    async jobs(kind?: string) {
      const all = await allJobs()
      return all.filter((job) => kind === undefined || job.kind === kind)
    },
    /** Enqueues the jobs of a start, such as the hourly ones, which `reset` deletes. */
    enqueueFirstJobs: () => enqueue(db, firstJobs(clock()), clock()),
    /** Deletes every record and job and uninstalls the App, so that a later test that moves the clock affects only its own records. */
    async reset() {
      github.state.app.installations.length = 0
      await service.deleteRecords()
    },
  }
}

/** Starts the service as the App before the tests of a file, resets it after each, and closes it at the end. */
export function useAppService(
  options: AppServiceOptions = {},
  reset = (service: AppService) => service.reset(),
): { github: FakeGithub; service: AppService } {
  const github = useGithub([])
  const service = useStarted(
    () => startAppService(github, options),
    (started) => started.close(),
  )
  afterEach(() => reset(service))
  return { github, service }
}
