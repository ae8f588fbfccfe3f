/** Finds where the claims index and the changed files differ from the records: checks then miss overlaps or report false ones (docs/operations.md: the claims index). */
import { printableId } from '../../vocabulary/contract/id.ts'
import { Scope, ShownScope } from '../../vocabulary/contract/scope.ts'
import { type Claim, TRUNCATED } from '../claims-index/claim.ts'
import type { IndexedRecord, StoredClaim } from '../claims-index/store.ts'
import type { Db } from '../db/database.ts'
import {
  COUNTED,
  correctTally,
  deleteStrayChanges,
  expectedClaims,
  type LiveRecord,
  listChangedIds,
  listIndexed,
  listIndexedIds,
  readTally,
  repairClaims,
} from './claims-drift-store.ts'

/** Records that are read at once with their claims; a record can have thousands. */
const RECORDS = 20
/** Record ids that are read at once. */
const IDS = 500

export interface Drift {
  /** A table and the record, such as `claims of act_…`. */
  where: string
  problem: string
  repair(): Promise<void>
}

/**
 * Yields each difference, as of one snapshot, so that changes in progress are not reported. The caller may call `repair` of
 * each before it requests the next.
 */
export async function* findDrift(db: Db, repo_id: number): AsyncGenerator<Drift> {
  yield* findWrongClaims(db, repo_id)
  yield* findStray(db, repo_id, CLAIMS)
  yield* findStray(db, repo_id, CHANGED_FILES)
  yield* findWrongTallies(db, repo_id)
}

async function* findWrongClaims(db: Db, repo_id: number): AsyncGenerator<Drift> {
  for (const counted of COUNTED)
    for (let after = ''; ; ) {
      const { records, claims } = await listIndexed(db, repo_id, counted, { after, limit: RECORDS })
      for (const record of records.filter(hasScope)) {
        const { id } = record.row
        const stored = claims.filter(({ record_id }) => record_id === id)
        const expected = await expectedClaims(record)
        const accepted = isBackfilled(record, stored) ? stored : expected.claims
        const problem = describeDifference({ ...expected, claims: accepted }, stored)
        if (problem)
          yield {
            where: `claims of ${printableId(id)}`,
            problem,
            repair: () => repairClaims(db, repo_id, id),
          }
      }
      if (records.length < RECORDS) break
      after = records.at(-1)?.row.id ?? after
    }
}

/** Whether the scope is valid. A record with an invalid scope has no claims, and is reported by another check. */
function hasScope({ counted, row }: LiveRecord): boolean {
  const isLiteral = counted === 'act' && row.scope_is_literal
  return (isLiteral ? ShownScope : Scope).safeParse(row.scope).success
}

/** A description of the difference; null if there is none. */
function describeDifference(expected: IndexedRecord, stored: StoredClaim[]): string | null {
  const wanted = new Set(expected.claims.map(keyOf))
  const present = new Set(stored.map(keyOf))
  const missing = [...wanted].filter((each) => !present.has(each)).length
  const extra = [...present].filter((each) => !wanted.has(each)).length
  const misweighed = stored.filter(({ weight }) => weight !== expected.weight).length
  const problems = [
    missing > 0 && `${missing} of ${wanted.size} are missing, so checks may miss this record`,
    extra > 0 && `${extra} should not exist`,
    misweighed > 0 && `${misweighed} have a weight other than ${expected.weight}`,
  ].filter(Boolean)
  return problems.length === 0 ? null : problems.join('; ')
}

/** Whether the only claim of the record is the one that migration 0003 inserted: it covers the whole repository, so checks miss nothing. */
function isBackfilled({ row }: LiveRecord, stored: StoredClaim[]): boolean {
  const [only] = stored
  const { areas, paths } = row.scope
  return (
    stored.length === 1 && only?.kind === TRUNCATED && only.place === '/' && areas.length + paths.length > 0
  )
}

function keyOf({ place, kind, glob }: Claim): string {
  return JSON.stringify([place, kind, glob])
}

/** Rows that must not exist unless their record is live. */
interface Dependent {
  what: string
  record: string
  list: typeof listIndexedIds
  repair: typeof repairClaims
}

const CLAIMS: Dependent = { what: 'claims', record: 'record', list: listIndexedIds, repair: repairClaims }
const CHANGED_FILES: Dependent = {
  what: 'file_changes',
  record: 'activity',
  list: listChangedIds,
  repair: deleteStrayChanges,
}

async function* findStray(
  db: Db,
  repo_id: number,
  { what, record, list, repair }: Dependent,
): AsyncGenerator<Drift> {
  for (let after = ''; ; ) {
    const ids = await list(db, repo_id, { after, limit: IDS })
    for (const { id, is_live } of ids)
      if (!is_live)
        yield {
          where: `${what} of ${printableId(id)}`,
          problem: `exist, but no live ${record} has this id`,
          repair: () => repair(db, repo_id, id),
        }
    if (ids.length < IDS) return
    after = ids.at(-1)?.id ?? after
  }
}

const NOUNS = { act: 'live activities', ntb: 'active notables' }

async function* findWrongTallies(db: Db, repo_id: number): AsyncGenerator<Drift> {
  for (const counted of COUNTED) {
    const { stored, tallied } = await readTally(db, repo_id, counted)
    if (stored !== tallied)
      yield {
        where: `tallies of ${NOUNS[counted]}`,
        problem: `count ${tallied}, but ${stored} are stored`,
        repair: () => db.transaction((tx) => correctTally(tx, repo_id, counted)),
      }
  }
}
