/** Processes records in batches, so that one that cannot be processed holds up no other. */
import type { Batch } from '../db/batch.ts'
import { isDatabaseDown } from '../db/errors.ts'

const BATCH_SIZE = 500
/** Records that may fail before the cause is taken to lie elsewhere. */
const FAILURES_MAX = 10

export interface Processing<Id> {
  /** The records that are due, whatever order they are in. */
  list(batch: Batch<Id>): Promise<Id[]>
  /** Processes all of these records, or none and throws; one that is locked, or due no longer, it passes over. Answers how many it processed. */
  process(ids: Id[]): Promise<number>
  /** Reports a record that cannot be processed, also not alone. */
  report(id: Id, error: unknown): void
}

/**
 * Processes all that is due, and answers how many records that were. A batch that fails is halved until its parts pass;
 * a record that fails alone is reported and left out. Throws when the database is down, and when too many records fail.
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
    // Without progress all that is left is locked: the next sweep finds it.
    if (ids.length < BATCH_SIZE || done === 0) return total
  }
}
