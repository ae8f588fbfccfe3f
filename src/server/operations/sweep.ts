/** The sweep: stores expiries, and deletes closed records after the retention period, old idempotency keys and jobs (docs/contract/limits.md#retention). */
import { setTimeout as wait } from 'node:timers/promises'
import { KEPT_FOR_MS } from '../../engine/lines/added-lines.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import { deleteJobs } from '../jobs/store.ts'
import { type Db, deleteAll } from '../platform/db/database.ts'
import { faultOf, isDatabaseDown } from '../platform/db/errors.ts'
import { BATCH } from '../platform/db/sweep-batches.ts'
import { deleteTracked, expireActivities } from '../records/activities/sweep-store.ts'
import { activities } from '../records/activities/table.ts'
import { enqueueRechecks } from '../records/changes/changes.ts'
import { deleteClosed } from '../records/live-sets/store.ts'
import { deleteOldLines } from '../records/merged-work/store.ts'
import { merged_lines } from '../records/merged-work/table.ts'
import { expireNotables } from '../records/notables/store.ts'
import { notables } from '../records/notables/table.ts'
import { deletePullRequests } from '../records/pull-requests/store.ts'
import type { App } from '../records/repositories/app.ts'
import { deleteLeftInstallations } from '../records/repositories/installation-store.ts'
import { inTransaction, openKnownRepo, type RepoContext } from '../records/repositories/repo.ts'
import {
  claimForSweep,
  listLeft,
  listUnswept,
  lockLeft,
  updateRepository,
} from '../records/repositories/store.ts'
import { etags } from '../records/repositories/table.ts'
import { deleteStacks } from '../records/stacks/store.ts'
import { purgePairs } from '../tell/store.ts'
import { pairs } from '../tell/table.ts'
import { KEY_RETENTION_MS } from './idempotency.ts'
import { deleteKeys } from './store.ts'

/** Each repository is swept about this often. Nothing depends on it, because every read applies the expiry. */
const INTERVAL_MS = 300_000
/** How many repositories are listed at a time. */
const PAGE = 500
/** How long ended jobs are kept, so that duplicates of a delivery are recognized. GitHub redelivers for at most three days. */
const JOBS_FOR_MS = 7 * DAY_MS
/** How long the ledger keeps pairs that have ended, and closed pull requests, which the signal report counts. */
const LEDGER_FOR_MS = 90 * DAY_MS

export interface Swept {
  repositories: number
  expired: number
  purged: number
  keys: number
}

/**
 * Sweeps every repository that no instance has swept within the interval. Safe with several instances: each repository is
 * claimed first, and a batch skips locked records. Returns the counts.
 */
export async function sweep(app: App): Promise<Swept> {
  const now = app.clock()
  const db = app.database.connection()
  const before = later(now, -INTERVAL_MS)
  const kept_from = later(now, -app.config.retention_days * DAY_MS)
  const swept: Swept = { repositories: 0, expired: 0, purged: 0, keys: 0 }
  await forEachRepository(
    app,
    (after) => listUnswept(db, { after, before, limit: PAGE }),
    async (repo_id) => {
      const ctx = (await claimForSweep(db, repo_id, now, before)) && (await openKnownRepo(app, repo_id, now))
      if (ctx) await sweepRepository(ctx, { kept_from, swept })
    },
  )
  await forEachRepository(
    app,
    (after) => listLeft(db, { after, before: kept_from, limit: PAGE }),
    async (repo_id) => {
      // One statement deletes all rows of a table.
      swept.purged += await app.database.withLongTimeout((long) => deleteAppData(long, repo_id, kept_from))
    },
  )
  await deleteLeftInstallations(db, BATCH)
  const jobs = await inBatches(() => deleteJobs(db, later(now, -JOBS_FOR_MS), BATCH))
  const { last_sweep, swept: counter } = app.metrics
  last_sweep.set(now.getTime() / 1000)
  for (const [what, count] of Object.entries({ ...swept, jobs })) counter.inc({ what }, count)
  return swept
}

/** Calls `work` with each repository. One that fails is reported and skipped; throws when the database is down. */
async function forEachRepository(
  app: App,
  list: (after: number) => Promise<number[]>,
  work: (repo_id: number) => Promise<void>,
): Promise<void> {
  for (let after = 0; ; ) {
    const ids = await list(after)
    for (const repo_id of ids) {
      try {
        await work(repo_id)
      } catch (error) {
        if (isDatabaseDown(error)) throw error
        app.metrics.swept.inc({ what: 'failed' })
        app.log.error({ repo_id, ...faultOf(error) }, 'repository not swept')
      }
    }
    if (ids.length < PAGE) return
    after = ids.at(-1) ?? after
  }
}

async function sweepRepository(
  ctx: RepoContext,
  { kept_from, swept }: { kept_from: Date; swept: Swept },
): Promise<void> {
  const { db, now } = ctx
  const { id, is_tracked } = ctx.repo
  swept.repositories += 1
  swept.expired += await inBatches(() => expire(ctx, expireActivities))
  swept.expired += await inBatches(() => expire(ctx, expireNotables))
  const closed = { repo_id: id, instant: kept_from }
  for (const table of [activities, notables])
    swept.purged += await inBatches(() => db.transaction((tx) => deleteClosed(tx, table, closed)))
  const ended_before = later(now, -LEDGER_FOR_MS)
  const ledger_from = kept_from < ended_before ? kept_from : ended_before
  if (is_tracked) swept.purged += await deletePullRequests(db, id, ledger_from)
  swept.purged += await purgePairs(db, id, ended_before)
  swept.purged += await deleteStacks(db, id, kept_from)
  if (is_tracked) await deleteOldLines(db, id, later(now, -KEPT_FOR_MS), BATCH)
  swept.keys += await deleteKeys(db, id, later(now, -KEY_RETENTION_MS))
}

/**
 * Deletes the data that the App or watching created in a repository that the service left at `kept_from` or earlier: tracked
 * activities, pull requests and settings. Declared records stay, because the REST API also works without the App. Stops if
 * the App is installed or the repository watched again in the meantime. Returns the number of deleted records.
 */
async function deleteAppData(db: Db, repo_id: number, kept_from: Date): Promise<number> {
  const whileLeft = (work: (tx: Db) => Promise<number>) =>
    db.transaction(async (tx) => ((await lockLeft(tx, repo_id, kept_from)) ? work(tx) : 0))
  const tracked = await inBatches(() => whileLeft((tx) => deleteTracked(tx, repo_id)))
  const pull_requests = await whileLeft(async (tx) => {
    await deleteStacks(tx, repo_id, null)
    for (const table of [etags, pairs, merged_lines]) await deleteAll(tx, table, repo_id)
    const files = { settings: null, labeler_areas: null, noise_attributes: null, settings_errors: [] }
    await updateRepository(tx, repo_id, { uninstalled_at: null, watched_at: null, ...files })
    return deletePullRequests(tx, repo_id, null)
  })
  return tracked + pull_requests
}

/** Stores the expiry of records, and enqueues rechecks of the pull requests that they affect. */
function expire(ctx: RepoContext, store: typeof expireActivities): Promise<number> {
  return inTransaction(ctx, async (within) => {
    const expired = await store(within.db, within.repo.id, within.now)
    await enqueueRechecks(within, expired)
    return expired.length
  })
}

/** Repeats work on up to `BATCH` rows until it finds fewer. Returns how many it found. */
async function inBatches(work: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const done = await work()
    total += done
    if (done < BATCH) return total
  }
}

/** Sweeps repeatedly until `stopped` is aborted. A failed sweep is logged, and the next one processes what it left. */
export async function sweepUntil(app: App, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      const swept = await sweep(app)
      if (swept.expired + swept.purged + swept.keys > 0) app.log.info(swept, 'sweep completed')
    } catch (error) {
      app.log.error(faultOf(error), 'sweep failed')
    }
    await wait(INTERVAL_MS, undefined, { signal: stopped }).catch(() => {})
  }
}
