/** What is wrong with the rows of a table, and what to do about each (issue: operators). */
import { type Clock, later } from '../base/clock.ts'
import { printableId } from '../base/id.ts'
import type { Db } from '../db/connect.ts'
import type { NotableRow } from '../notables/table.ts'
import { KEY_RETENTION_MS } from './idempotency.ts'
import type { StoredKey } from './store.ts'
import { type Flaw, flawsOfActivity, flawsOfKey, flawsOfNotable, flawsOfPullRequest } from './stored.ts'
import { existing, type ReadTable, type RowsOf } from './verify-store.ts'

interface Asked {
  repo_id: number
  clock: Clock
}

interface Judged {
  name: string
  flaws: Flaw[]
  remedy: string
}

type Judges = { [Name in ReadTable]: (db: Db, asked: Asked, rows: RowsOf[Name][]) => Promise<Judged[]> }

const JUDGES: Judges = {
  async activities(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: printableId(row.id),
      flaws: flawsOfActivity(row),
      remedy: ofRecord('activities', repo_id, row.id),
    }))
  },
  async notables(db, { repo_id }, rows) {
    const successors = await existing(db, 'notables', repo_id, successorsOf(rows))
    return rows.map((row) => ({
      name: printableId(row.id),
      flaws: flawsOfNotable(row, successors),
      remedy: ofRecord('notables', repo_id, row.id),
    }))
  },
  async pull_requests(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: String(row.number),
      flaws: flawsOfPullRequest(row),
      remedy: byHand('pull_requests', repo_id, `number = ${row.number}`),
    }))
  },
  async idempotency_keys(db, { repo_id, clock }, rows) {
    const records = await recordsOf(db, repo_id, rows)
    // The record of a key that is over may be purged already.
    const over = later(clock(), -KEY_RETENTION_MS)
    return rows
      .filter((row) => row.created_at > over)
      .map((row) => ({
        name: JSON.stringify(row.key),
        flaws: flawsOfKey(row, records),
        remedy: 'a retry with this key may fail until it is over, 24 hours after it was used',
      }))
  },
}

/** Every row with its flaws, and what to do about them. */
export function judge<Name extends ReadTable>(
  db: Db,
  asked: Asked & { table: Name },
  rows: RowsOf[Name][],
): Promise<Judged[]> {
  return JUDGES[asked.table](db, asked, rows)
}

function successorsOf(rows: NotableRow[]): string[] {
  return rows.flatMap((row) => row.superseded_by ?? [])
}

async function recordsOf(db: Db, repo_id: number, rows: StoredKey[]): Promise<Set<string>> {
  const ids = rows.map((row) => row.record_id)
  const found = await Promise.all([
    existing(db, 'activities', repo_id, ids),
    existing(db, 'notables', repo_id, ids),
  ])
  return new Set(found.flatMap((each) => [...each]))
}

/** The index follows a record that is changed past the service only when it is told to. */
function ofRecord(table: 'activities' | 'notables', repo_id: number, id: string): string {
  return `${byHand(table, repo_id, `id = '${printableId(id)}'`)}; then, in either case: verify --repair`
}

function byHand(table: string, repo_id: number, row: string): string {
  return `mend it by hand, or run: delete from ${table} where repo_id = ${repo_id} and ${row}`
}
