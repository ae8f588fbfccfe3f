/** The sweep: stores expiries, purges what was kept long enough, drops old idempotency keys (contract §1 and §5). */
import { setTimeout as wait } from 'node:timers/promises'
import { deleteTracked, expireActivities, purgeActivities } from '../activities/sweep-store.ts'
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { oweLook } from '../context/changes.ts'
import { inTransaction, openKnownRepo, type RepoContext } from '../context/repo.ts'
import { claimForSweep, listLeft, listUnswept, lockLeft, updateRepository } from '../context/store.ts'
import type { Db } from '../db/connect.ts'
import { faultOf } from '../db/errors.ts'
import { deleteJobs } from '../jobs/store.ts'
import { expireNotables, purgeNotables } from '../notables/store.ts'
import { deletePullRequests } from '../pull-requests/store.ts'
import { inSpan } from '../telemetry/trace.ts'
import { KEY_LIFE_MS } from './idempotency.ts'
import { QUOTA_WINDOW_MS } from './quota.ts'
import { deleteKeys, deleteQuotas } from './store.ts'

/** Each repository is swept about this often. Nothing waits for it: expiry is exact at the time of reading. */
const INTERVAL_MS = 300_000
const BATCH = 500
const DAY_MS = 86_400_000
/** A delivery is known again for this long; GitHub sends one again for three days at most. */
const JOBS_FOR_MS = 7 * DAY_MS

export interface Swept {
  repositories: number
  expired: number
  purged: number
  keys: number
}

/**
 * Sweeps every repository that none has swept for a while. Safe with several instances: each repository is claimed
 * first, and a batch passes over records that somebody is changing. Answers what was done.
 */
export function sweep(app: App): Promise<Swept> {
  return inSpan('sweep', { kind: 'internal' }, async () => {
    const { last_sweep, swept: counter } = app.metrics
    const now = app.clock()
    const { jobs, ...swept } = await sweepAll(app, now)
    last_sweep.set(now.getTime() / 1000)
    for (const [what, count] of Object.entries({ ...swept, jobs })) counter.inc({ what }, count)
    return swept
  })
}

async function sweepAll(app: App, now: Date): Promise<Swept & { jobs: number }> {
  const db = app.database.connection()
  const before = later(now, -INTERVAL_MS)
  const kept = later(now, -app.config.retention_days * DAY_MS)
  const swept: Swept = { repositories: 0, expired: 0, purged: 0, keys: 0 }
  let after = 0
  for (;;) {
    const ids = await listUnswept(db, { after, before, limit: BATCH })
    for (const repo_id of ids) {
      const ctx = (await claimForSweep(db, repo_id, now, before)) && (await openKnownRepo(app, repo_id, now))
      if (ctx) await sweepRepository(ctx, kept, swept)
    }
    if (ids.length < BATCH) break
    after = ids.at(-1) ?? after
  }
  swept.purged += await forgetLeft(db, kept)
  const jobs = await inBatches((limit) => deleteJobs(db, later(now, -JOBS_FOR_MS), limit))
  await deleteQuotas(db, later(now, -QUOTA_WINDOW_MS))
  return { ...swept, jobs }
}

async function sweepRepository(ctx: RepoContext, kept: Date, swept: Swept): Promise<void> {
  const { db, now, repo } = ctx
  swept.repositories += 1
  swept.expired += await inBatches((limit) => expire(ctx, limit, expireActivities))
  swept.expired += await inBatches((limit) => expire(ctx, limit, expireNotables))
  swept.purged += await inBatches((limit) => purgeActivities(db, repo.id, kept, limit))
  swept.purged += await inBatches((limit) => purgeNotables(db, repo.id, kept, limit))
  if (repo.is_followed)
    swept.purged += await inBatches((limit) => deletePullRequests(db, repo.id, kept, limit))
  swept.keys += await inBatches((limit) => deleteKeys(db, repo.id, later(now, -KEY_LIFE_MS), limit))
}

/**
 * Deletes what the app made in repositories that it was taken off at `kept` or earlier: activities of pull requests, what
 * it knew of them, and the settings. What people declared stays: without the app, the REST interface goes on.
 */
async function forgetLeft(db: Db, kept: Date): Promise<number> {
  let total = 0
  for (;;) {
    const ids = await listLeft(db, kept, BATCH)
    for (const repo_id of ids) total += await inBatches((limit) => forgetApp(db, { repo_id, kept, limit }))
    if (ids.length < BATCH) return total
  }
}

/** One batch; the last one leaves the repository as if the app had never been there. Given back meanwhile, it keeps all. */
function forgetApp(db: Db, of: { repo_id: number; kept: Date; limit: number }): Promise<number> {
  const { repo_id, kept, limit } = of
  return db.transaction(async (tx) => {
    if (!(await lockLeft(tx, repo_id, kept))) return 0
    const activities = await deleteTracked(tx, repo_id, limit)
    const deleted = activities + (await deletePullRequests(tx, repo_id, null, limit - activities))
    if (deleted < limit)
      await updateRepository(tx, repo_id, {
        left_at: null,
        settings: null,
        labeler_areas: null,
        settings_errors: [],
      })
    return deleted
  })
}

/** Stores a batch of expiries, and that the pull requests which they touched are to be looked at. */
function expire(ctx: RepoContext, limit: number, store: typeof expireActivities): Promise<number> {
  return inTransaction(ctx, async (within) => {
    const ids = await store(within.db, within.repo.id, within.now, limit)
    await oweLook(within, ids)
    return ids.length
  })
}

async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const done = await work(BATCH)
    total += done
    if (done < BATCH) return total
  }
}

/** Sweeps now and then until `signal` is aborted. A sweep that fails is logged; the next one makes up for it. */
export async function sweepUntil(app: App, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const swept = await sweep(app)
      if (swept.expired + swept.purged + swept.keys > 0) app.log.info(swept, 'swept')
    } catch (error) {
      app.log.error(faultOf(error), 'the sweep failed')
    }
    await wait(INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}
