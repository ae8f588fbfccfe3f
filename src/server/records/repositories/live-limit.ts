/** The limit of live records per repository (docs/contract/limits.md#live-records). */
import { Failure } from '../../../vocabulary/failure.ts'
import { raiseVersion } from '../live-sets/store.ts'
import type { Counted } from '../live-sets/table.ts'
import type { RepoContext } from './repo.ts'

/** A kind of record with a limit. */
export interface LiveKind {
  counted: Counted
  max: number
  /** Stores and announces the expiry of a batch of records that are due, in the same transaction. */
  expire(): Promise<void>
}

/** Inserts a record in the transaction of `within`; undefined if the repository is at its limit. */
export async function insertIfRoom<Row>(
  { db, repo }: RepoContext,
  { counted, max, expire }: LiveKind,
  insert: (version: number) => Promise<Row>,
): Promise<Row | undefined> {
  const raised = await raiseVersion(db, repo.id, { [counted]: 1 })
  if (raised[counted] <= max) return insert(raised.version)
  // Records that are due count as live until their expiry is stored, normally by the sweep.
  await expire()
  const again = await raiseVersion(db, repo.id)
  if (again[counted] <= max) return insert(again.version)
  await raiseVersion(db, repo.id, { [counted]: -1 })
  return undefined
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
