/** Verifies the database: its schema, every row of every repository, and what is owed (issue: operators). */
import { type Clock, later } from '../base/clock.ts'
import { isId } from '../base/id.ts'
import type { RepositoryRow } from '../context/store.ts'
import type { Db } from '../db/connect.ts'
import { codeOf } from '../db/errors.ts'
import { compareMigrations } from '../db/migrate.ts'
import type { NotableRow } from '../notables/table.ts'
import { KEY_LIFE_MS } from './idempotency.ts'
import type { StoredKey } from './store.ts'
import {
  type Flaw,
  flawsOfActivity,
  flawsOfKey,
  flawsOfNotable,
  flawsOfPullRequest,
  flawsOfRepository,
} from './stored.ts'
import {
  examineSchema,
  existing,
  listRepositoriesAfter,
  listRepositoryTables,
  listTroubledJobs,
  nextRepository,
  READ_TABLES,
  type ReadTable,
  type RowsOf,
  rowsOf,
} from './verify-store.ts'

/** Rows that are held at a time. */
const BATCH = 500
/** Jobs that are named; more are in the same trouble. */
const JOBS_MAX = 1000
/** A job that nobody has taken for so long after it was due is stuck. */
const STUCK_MS = 3_600_000

/** One thing that is wrong, and what to do about it. */
export interface Fault {
  /** A table, and where it can be told the id of the row. */
  where: string
  problem: string
  remedy: string
}

export interface Verified {
  repositories: number
  rows: number
}

/** Yields each fault, and counts in `verified` what was looked at. Safe while the service runs; throws when the database cannot be read. */
export async function* verify(db: Db, clock: Clock, verified: Verified): AsyncGenerator<Fault> {
  const schema = await faultsOfSchema(db)
  yield* schema.faults
  // Rows of a schema that is not this version's cannot be judged.
  if (!schema.is_readable) return
  yield* faultsOfRepositories(db, verified)
  yield* orphans(db)
  for (let after = 0; ; ) {
    const page = await listRepositoriesAfter(db, after, BATCH)
    for (const { repo_id } of page)
      for (const table of READ_TABLES) yield* faultsOfRows(db, { table, repo_id, clock, verified })
    if (page.length < BATCH) break
    after = page.at(-1)?.repo_id ?? after
  }
  yield* faultsOfJobs(db, clock)
}

async function faultsOfSchema(db: Db): Promise<{ faults: Fault[]; is_readable: boolean }> {
  const faults: Fault[] = []
  const { missing, unknown, changed } = await compareMigrations(db)
  const add = (where: string, problem: string, remedy: string) => faults.push({ where, problem, remedy })
  if (missing > 0)
    add('migrations', `${missing} of this version are not applied`, 'start this version of the service once')
  if (unknown > 0)
    add(
      'migrations',
      `${unknown} are of a newer version`,
      'verify with the version that applied them, and run that one',
    )
  if (changed > 0)
    add('migrations', `${changed} were applied with another text`, 'compare drizzle/ with the release')
  const { missing: lacking, invalid } = await examineSchema(db)
  for (const name of missing > 0 ? [] : lacking)
    add('schema', `${name} is missing`, 'restore it from a backup, or create it as drizzle/ does')
  for (const name of invalid)
    add(`index ${name}`, 'is not valid', `run: reindex index concurrently "${name}"`)
  return { faults, is_readable: missing === 0 && !lacking.some((name) => name.includes('.')) }
}

async function* faultsOfRepositories(db: Db, verified: Verified): AsyncGenerator<Fault> {
  for (let after = 0; ; ) {
    const page = await listRepositoriesAfter(db, after, BATCH)
    verified.repositories += page.length
    for (const row of page) yield* asFaults(`repositories ${row.repo_id}`, flawsOfRepository(row), of(row))
    if (page.length < BATCH) return
    after = page.at(-1)?.repo_id ?? after
  }
}

const of = (row: RepositoryRow) => `mend it by hand, or purge ${row.repo_id}`

/** Rows of repositories that are not known: no sweep would ever come to them. */
async function* orphans(db: Db): AsyncGenerator<Fault> {
  for (const table of await listRepositoryTables(db)) {
    const known = (async function* () {
      for (let after = -1; ; ) {
        const page = await listRepositoriesAfter(db, after, BATCH)
        for (const { repo_id } of page) yield repo_id
        if (page.length < BATCH) return
        after = page.at(-1)?.repo_id ?? after
      }
    })()
    let next = await known.next()
    for (let at = await nextRepository(db, table, -1); at !== undefined; ) {
      while (!next.done && next.value < at) next = await known.next()
      if (next.done || next.value !== at)
        yield {
          where: table,
          problem: `holds rows of repository ${at}, which is not known`,
          remedy: `purge ${at}`,
        }
      at = await nextRepository(db, table, at)
    }
  }
}

interface Looked {
  table: ReadTable
  repo_id: number
  clock: Clock
  verified: Verified
}

async function* faultsOfRows(db: Db, looked: Looked): AsyncGenerator<Fault> {
  const { table, repo_id, verified } = looked
  try {
    for await (const rows of rowsOf(db, table, repo_id, BATCH)) {
      verified.rows += rows.length
      const judged = await judge(db, looked, rows)
      for (const { name, flaws, remedy } of judged)
        yield* asFaults(`${table} ${name} of repository ${repo_id}`, flaws, remedy)
    }
  } catch (error) {
    // Data that PostgreSQL itself cannot read: what else there is, is looked at all the same.
    if (!codeOf(error)?.startsWith('XX')) throw error
    yield {
      where: `${table} of repository ${repo_id}`,
      problem: `cannot be read (${codeOf(error)})`,
      remedy: 'restore the database from a backup',
    }
  }
}

interface Judged {
  name: string
  flaws: Flaw[]
  remedy: string
}

type Judges = { [Name in ReadTable]: (db: Db, looked: Looked, rows: RowsOf[Name][]) => Promise<Judged[]> }

const JUDGES: Judges = {
  async activities(_, { repo_id }, rows) {
    return rows.map((row) => ({
      name: shownId(row.id),
      flaws: flawsOfActivity(row),
      remedy: byHand('activities', repo_id, `id = '${shownId(row.id)}'`),
    }))
  },
  async notables(db, { repo_id }, rows) {
    const successors = await existing(db, 'notables', repo_id, successorsOf(rows))
    return rows.map((row) => ({
      name: shownId(row.id),
      flaws: flawsOfNotable(row, successors),
      remedy: byHand('notables', repo_id, `id = '${shownId(row.id)}'`),
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
    const over = later(clock(), -KEY_LIFE_MS)
    return rows
      .filter((row) => row.created_at > over)
      .map((row) => ({
        name: JSON.stringify(row.key),
        flaws: flawsOfKey(row, records),
        remedy: 'a retry with this key may fail until it is over, 24 hours after it was used',
      }))
  },
}

function judge<Name extends ReadTable>(
  db: Db,
  looked: Looked & { table: Name },
  rows: RowsOf[Name][],
): Promise<Judged[]> {
  return JUDGES[looked.table](db, looked, rows)
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

function byHand(table: string, repo_id: number, row: string): string {
  return `mend it by hand, or run: delete from ${table} where repo_id = ${repo_id} and ${row}`
}

/** An id that is none is shown as JSON, so that nothing in it reaches a terminal. */
function shownId(id: string): string {
  return isId('act', id) || isId('ntb', id) ? id : JSON.stringify(id)
}

async function* faultsOfJobs(db: Db, clock: Clock): AsyncGenerator<Fault> {
  const now = clock()
  for (const job of await listTroubledJobs(db, { now, due_before: later(now, -STUCK_MS) }, JOBS_MAX)) {
    const where = `jobs ${job.id}`
    if (job.state === 'dead')
      yield {
        where,
        problem: `was given up after ${job.attempts} attempts`,
        remedy: `once its cause is mended, run: deliveries replay ${job.id}`,
      }
    else
      yield {
        where,
        problem: `has been due since ${job.run_at.toISOString()} and nobody took it`,
        remedy: 'see that the service runs with the App configured, and what it logs',
      }
  }
}

function* asFaults(where: string, flaws: Flaw[], remedy: string): Generator<Fault> {
  for (const { field, problem } of flaws) yield { where, problem: `${field} ${problem}`, remedy }
}
