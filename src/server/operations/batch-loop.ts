/** Processes records in batches. A record that cannot be processed does not block the others. */
import type { Batch } from '../db/batch.ts'
import { isDatabaseDown } from '../db/errors.ts'

const BATCH_SIZE = 500
/** With more failed records than this, the cause is probably not the records. */
const FAILURES_MAX = 10

export interface Processing<Id> {
  /** Selects records that are due, in any order. */
  list(batch: Batch<Id>): Promise<Id[]>
  /** Processes these records in one transaction, and skips those that are locked or no longer due. Returns how many it processed. */
  process(ids: Id[]): Promise<number>
  /** Reports a record that fails even in a batch of its own. */
  report(id: Id, error: unknown): void
}

/**
 * Processes all records that are due, and returns how many it processed. A batch that fails is split in halves, again and
 * again; a record that fails alone is reported and skipped. Throws if the database is down or too many records fail.
 */
export async function inBatches<Id>({ list, process, report }: Processing<Id>): Promise<number> {
  const failed: Id[] = []
  const processHalving = async (ids: Id[]): Promise<number> => {
    try {
      return await process(ids)
    } catch (error) {
      if (isDatabaseDown(error)) throw error
      const [only, ...others] = ids
      if (only === undefined) return 0
      if (others.length > 0) {
        const middle = Math.ceil(ids.length / 2)
        return (await processHalving(ids.slice(0, middle))) + (await processHalving(ids.slice(middle)))
      }
      if (failed.length === FAILURES_MAX) throw error
      failed.push(only)
      report(only, error)
      return 0
    }
  }
  for (let total = 0; ; ) {
    const ids = await list({ limit: BATCH_SIZE, except: failed })
    const done = ids.length === 0 ? 0 : await processHalving(ids)
    total += done
    // Without progress, all remaining records are locked. The next sweep processes them.
    if (ids.length < BATCH_SIZE || done === 0) return total
  }
}
