/** Verifies the database: its schema, every row of every repository, the index of them, and what is owed (issue: operators). */
import { type Clock, later } from '../base/clock.ts'
import { findRepository, type RepositoryRow } from '../context/store.ts'
import type { Db } from '../db/connect.ts'
import { codeOf } from '../db/errors.ts'
import { compareMigrations } from '../db/migrate.ts'
import { driftOf } from './drift.ts'
import { judge } from './judge.ts'
import { type Flaw, flawsOfRepository } from './stored.ts'
import {
  examineSchema,
  listRepositoriesAfter,
  listRepositoryTables,
  listTroubledJobs,
  nextRepository,
  READ_TABLES,
  type ReadTable,
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
  /** The fault is there no more. */
  is_repaired?: boolean
}

export interface Verified {
  repositories: number
  rows: number
}

/**
 * Yields each fault, and counts in `verified` what was looked at. With `repair` the index of the overlap check is brought
 * in line with the records; else nothing is changed. Safe while the service runs; throws when the database cannot be read.
 */
export async function* verify(
  db: Db,
  clock: Clock,
  { verified, repair }: { verified: Verified; repair: boolean },
): AsyncGenerator<Fault> {
  const schema = await faultsOfSchema(db)
  yield* schema.faults
  // Rows of a schema that is not this version's cannot be judged.
  if (!schema.is_readable) return
  yield* faultsOfRepositories(db, verified)
  yield* orphans(db)
  for (let after = 0; ; ) {
    const page = await listRepositoriesAfter(db, after, BATCH)
    for (const { repo_id } of page) {
      for (const table of READ_TABLES)
        yield* asFarAsReadable(
          `${table} of repository ${repo_id}`,
          faultsOfRows(db, { table, repo_id, clock, verified }),
        )
      yield* asFarAsReadable(`claims of repository ${repo_id}`, faultsOfIndex(db, repo_id, repair))
    }
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
      // Asked again: it may have become known since that page was read.
      if ((next.done || next.value !== at) && !(await findRepository(db, at)))
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
  for await (const rows of rowsOf(db, table, repo_id, BATCH)) {
    verified.rows += rows.length
    const judged = await judge(db, looked, rows)
    for (const { name, flaws, remedy } of judged)
      yield* asFaults(`${table} ${name} of repository ${repo_id}`, flaws, remedy)
  }
}

async function* faultsOfIndex(db: Db, repo_id: number, repair: boolean): AsyncGenerator<Fault> {
  for await (const { where, problem, mend } of driftOf(db, repo_id)) {
    if (repair) await mend()
    yield {
      where: `${where} of repository ${repo_id}`,
      problem,
      remedy: repair ? 'repaired' : 'run: verify --repair',
      is_repaired: repair,
    }
  }
}

/** Of data that PostgreSQL itself cannot read, says so: what else there is, is looked at all the same. */
async function* asFarAsReadable(where: string, faults: AsyncGenerator<Fault>): AsyncGenerator<Fault> {
  try {
    yield* faults
  } catch (error) {
    if (!codeOf(error)?.startsWith('XX')) throw error
    yield {
      where,
      problem: `cannot be read (${codeOf(error)})`,
      remedy: 'restore the database from a backup',
    }
  }
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
