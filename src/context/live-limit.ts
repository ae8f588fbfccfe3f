/** How many live records a repository may have (contract §4). */

import { Failure } from '../base/failure.ts'
import { countLive, lockLiveCount } from '../claims/store.ts'
import type { Counted } from '../claims/table.ts'
import { enqueueRechecks } from './changes.ts'
import { inTransaction, type RepoContext } from './repo.ts'

/** So far below the limit and nearer, inserts wait for each other: more than run at the same time. */
const NEAR = 500

/** A kind of records that can be live. */
export interface LiveKind {
  counted: Counted
  max: number
  /** Stores expiries that were reached, in a transaction; answers the ids. */
  expire(within: RepoContext): Promise<string[]>
}

/** Inserts a record unless the repository has as many live ones as it may have; then undefined. */
export async function insertIfRoom<Row>(
  ctx: RepoContext,
  { counted, max, expire }: LiveKind,
  insert: (ctx: RepoContext) => Promise<Row>,
): Promise<Row | undefined> {
  const count = ({ db, repo }: RepoContext) => countLive(db, repo.id, counted)
  if ((await count(ctx)) < max - NEAR) return insert(ctx)
  return inTransaction(ctx, async (within) => {
    await lockLiveCount(within.db, within.repo.id, counted)
    // The sweep may not have stored every expiry yet.
    if ((await count(within)) >= max) await enqueueRechecks(within, await expire(within))
    return (await count(within)) < max ? insert(within) : undefined
  })
}

/** The refusal of a record for which there is no room. Nothing says when there will be: a minute is a guess. */
export function tooManyLive(max: number, what: string): Failure {
  const most = max.toLocaleString('en')
  return new Failure(
    'rate_limited',
    `this repository has ${most} ${what}, as many as it may have; archive some, or wait until some expire`,
    { headers: { 'Retry-After': '60' } },
  )
}
