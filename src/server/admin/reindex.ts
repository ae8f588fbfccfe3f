/** Rebuilds the claims index and the tallies from the records, beside running instances (docs/operations.md: the claims index). */
import type { Db } from '../db/database.ts'
import { listRepositoryIds } from '../repositories/store.ts'
import { COUNTED, correctTally, deleteStrayClaims, reindexBatch } from './reindex-store.ts'

const PAGE = 500

/** What was read, and what was wrong. */
export interface Reindexed {
  repositories: number
  records: number
  /** Records whose claims were replaced. */
  corrected: number
  /** Deleted claims of records that have ended. */
  stray: number
  /** By how many records the tallies were wrong. */
  miscounted: number
  /** The records that cannot be indexed because their scope is not valid. */
  invalid: { repo_id: number; id: string }[]
}

/** Reindexes all repositories, a few records at a time. */
export async function reindex(db: Db): Promise<Reindexed> {
  const done: Reindexed = { repositories: 0, records: 0, corrected: 0, stray: 0, miscounted: 0, invalid: [] }
  for (let after = 0; ; ) {
    const ids = await listRepositoryIds(db, { after, limit: PAGE })
    for (const repo_id of ids) await reindexRepository(db, repo_id, done)
    if (ids.length < PAGE) return done
    after = ids.at(-1) ?? after
  }
}

async function reindexRepository(db: Db, repo_id: number, done: Reindexed): Promise<void> {
  done.repositories += 1
  for (const counted of COUNTED) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { records, corrected, invalid, last } = await reindexBatch(db, repo_id, counted, after)
      done.records += records
      done.corrected += corrected
      done.invalid.push(...invalid.map((id) => ({ repo_id, id })))
      after = last
    }
    done.miscounted += Math.abs(await db.transaction((tx) => correctTally(tx, repo_id, counted)))
  }
  done.stray += await deleteStrayClaims(db, repo_id)
}
