/** Finds the problems of stored rows, with a remedy for each. */
import { type Clock, later } from '../base/clock.ts'
import { printableId } from '../base/id.ts'
import type { Db } from '../db/connect.ts'
import { KEY_RETENTION_MS } from '../operations/idempotency.ts'
import { type CheckedTable, findExisting, type RowsOf } from './integrity-store.ts'
import { checkActivity, checkKey, checkNotable, checkPullRequest, type RowProblem } from './row-schemas.ts'

interface Where {
  repo_id: number
  clock: Clock
}

interface CheckedRow {
  name: string
  problems: RowProblem[]
  remedy: string
}

type Checks = {
  [Name in CheckedTable]: (db: Db, where: Where, rows: RowsOf[Name][]) => Promise<CheckedRow[]>
}

const CHECKS: Checks = {
  async activities(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: printableId(row.id),
      problems: checkActivity(row),
      remedy: recordRemedy('activities', repo_id, row.id),
    }))
  },
  async notables(db, { repo_id }, rows) {
    const named = rows.flatMap((row) => row.superseded_by ?? [])
    const successors = await findExisting(db, 'notables', repo_id, named)
    return rows.map((row) => ({
      name: printableId(row.id),
      problems: checkNotable(row, successors),
      remedy: recordRemedy('notables', repo_id, row.id),
    }))
  },
  async pull_requests(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: String(row.number),
      problems: checkPullRequest(row),
      remedy: rowRemedy('pull_requests', repo_id, `number = ${row.number}`),
    }))
  },
  async idempotency_keys(db, { repo_id, clock }, rows) {
    const records = await findRecords(
      db,
      repo_id,
      rows.map((row) => row.record_id),
    )
    // The record of an expired key may be purged already.
    const expired = later(clock(), -KEY_RETENTION_MS)
    return rows
      .filter((row) => row.created_at > expired)
      .map((row) => ({
        name: JSON.stringify(row.key),
        problems: checkKey(row, records),
        remedy: 'a retry with this key may fail until the key expires, 24 hours after its first use',
      }))
  },
}

/** Every row with its problems. */
export function checkRows<Name extends CheckedTable>(
  db: Db,
  where: Where & { table: Name },
  rows: RowsOf[Name][],
): Promise<CheckedRow[]> {
  return CHECKS[where.table](db, where, rows)
}

async function findRecords(db: Db, repo_id: number, ids: string[]): Promise<Set<string>> {
  const found = await Promise.all([
    findExisting(db, 'activities', repo_id, ids),
    findExisting(db, 'notables', repo_id, ids),
  ])
  return new Set(found.flatMap((each) => [...each]))
}

/** After a change by SQL, the claims index has to be repaired too. */
function recordRemedy(table: 'activities' | 'notables', repo_id: number, id: string): string {
  return `${rowRemedy(table, repo_id, `id = '${printableId(id)}'`)}; then run: verify --repair`
}

function rowRemedy(table: string, repo_id: number, row: string): string {
  return `fix it by hand, or run: delete from ${table} where repo_id = ${repo_id} and ${row}`
}
