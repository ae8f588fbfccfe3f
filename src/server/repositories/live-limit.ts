/** The limit of live records per repository (docs/contract/limits.md#live-records). */
import { Failure } from '../../vocabulary/failure.ts'
import { countLive, lockLiveCount } from '../claims-index/store.ts'
import type { Counted } from '../claims-index/table.ts'
import type { Batch } from '../db/batch.ts'
import { inTransaction, type RepoContext } from './repo.ts'

/** Inserts are serialized once the count is within this distance of the limit. It exceeds the number of inserts that can run at the same time. */
const NEAR = 500

/** The batch of due records whose expiry is stored when the limit is reached. */
const DUE = { limit: 500, except: [] }

/** A kind of record with a limit. */
export interface LiveKind {
  counted: Counted
  max: number
  /** Stores and announces the expiry of a batch of records that are due, in a transaction. */
  expire(within: RepoContext, batch: Batch<string>): Promise<void>
}

/** Inserts a record; undefined if the repository is at its limit. */
export async function insertIfRoom<Row>(
  ctx: RepoContext,
  { counted, max, expire }: LiveKind,
  insert: (ctx: RepoContext) => Promise<Row>,
): Promise<Row | undefined> {
  const count = ({ db, repo }: RepoContext) => countLive(db, repo.id, counted)
  if ((await count(ctx)) < max - NEAR) return insert(ctx)
  return inTransaction(ctx, async (within) => {
    await lockLiveCount(within.db, within.repo.id, counted)
    // Records that are due count as live until their expiry is stored, normally by the sweep.
    if ((await count(within)) >= max) await expire(within, DUE)
    return (await count(within)) < max ? insert(within) : undefined
  })
}

/** The failure of a create at the limit. `Retry-After` is an estimate, because nobody knows when a record ends. */
export function tooManyLive(max: number, what: string): Failure {
  const most = max.toLocaleString('en')
  return new Failure(
    'rate_limited',
    `this repository has reached its limit of ${most} ${what}; archive some, or wait until some expire`,
    { headers: { 'Retry-After': '60' } },
  )
}
