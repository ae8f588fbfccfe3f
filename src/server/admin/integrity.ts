/** The integrity check: the schema, every row of every repository, the claims index, and jobs (docs/operations.md: deconflict-admin). */
import { type Clock, later } from '../../vocabulary/clock.ts'
import type { Db } from '../db/database.ts'
import { codeOf } from '../db/errors.ts'
import { compareMigrations } from '../db/migrate.ts'
import { findRepository } from '../repositories/store.ts'
import { findDrift } from './claims-drift.ts'
import {
  CHECKED_TABLES,
  type CheckedTable,
  examineSchema,
  listFailingJobs,
  listRepositoriesAfter,
  listRepositoryTables,
  listViolations,
  nextRepository,
  rowsOf,
} from './integrity-store.ts'
import { checkRepository, checkRows, type RowProblem } from './row-problems.ts'

/** Rows in memory at once. */
const BATCH = 500
/** At most this many failing jobs are reported, and as many rows that violate a constraint. */
const LISTED_MAX = 1000
/** A job that has been due for this long without a lease is stuck. */
const STUCK_MS = 3_600_000
/** Tables in which no orphans are looked for: a job may belong to a repository that is not stored. */
const WITHOUT_ORPHANS = ['jobs', 'repositories']

export interface Problem {
  /** What has the problem: a table with the id of a row, an index, a constraint or the migrations. */
  where: string
  problem: string
  remedy: string
  is_repaired?: boolean
}

/** What was checked. */
export interface Checked {
  repositories: number
  rows: number
}

/**
 * Yields each problem, and counts in `checked` what it has read. With `repair`, it repairs the claims index; otherwise it
 * changes nothing. Safe beside running instances. Throws if the database cannot be read.
 */
export async function* checkIntegrity(
  db: Db,
  clock: Clock,
  { checked, repair }: { checked: Checked; repair: boolean },
): AsyncGenerator<Problem> {
  const { problems, is_readable } = await checkSchema(db)
  yield* problems
  // Rows of another schema version cannot be checked.
  if (!is_readable) return
  yield* findOrphans(db)
  for await (const repository of allRepositories(db)) {
    const { repo_id } = repository
    checked.repositories += 1
    yield* withRemedy(
      `repositories ${repo_id}`,
      checkRepository(repository),
      `fix it by hand, or run: purge ${repo_id}`,
    )
    for (const table of CHECKED_TABLES)
      yield* whileReadable(
        `${table} of repository ${repo_id}`,
        checkTable(db, { table, repo_id, clock, checked }),
      )
    yield* whileReadable(`claims of repository ${repo_id}`, checkClaims(db, repo_id, repair))
  }
  yield* checkJobs(db, clock)
}

async function checkSchema(db: Db): Promise<{ problems: Problem[]; is_readable: boolean }> {
  const problems: Problem[] = []
  const { missing, unknown, changed } = await compareMigrations(db)
  const add = (where: string, problem: string, remedy: string) => problems.push({ where, problem, remedy })
  if (missing > 0)
    add(
      'migrations',
      `${missing} of this version have not been applied`,
      'start this version of the service once',
    )
  if (unknown > 0)
    add(
      'migrations',
      `${unknown} are from a newer version`,
      'run verify, and the service, in the version that applied them',
    )
  if (changed > 0)
    add('migrations', `${changed} were applied with different SQL`, 'compare drizzle/ with the release')
  const schema = await examineSchema(db)
  for (const name of missing > 0 ? [] : schema.missing)
    add('schema', `${name} is missing`, 'restore it from a backup, or create it as drizzle/ does')
  for (const name of schema.invalid_indexes)
    add(`index ${name}`, 'is not valid', `run: reindex index concurrently "${name}"`)
  for (const { table, name } of schema.unvalidated) {
    for (const key of await listViolations(db, name, LISTED_MAX))
      add(
        `${table} ${JSON.stringify(key)}`,
        `violates ${name}`,
        'fix or delete the row; until then it cannot be updated',
      )
    add(
      `constraint ${name}`,
      'is not validated',
      `fix the rows that violate it, then run: alter table ${table} validate constraint ${name}`,
    )
  }
  return { problems, is_readable: missing === 0 && !schema.missing.some((name) => name.includes('.')) }
}

async function* allRepositories(db: Db) {
  for (let after = -1; ; ) {
    const page = await listRepositoriesAfter(db, after, BATCH)
    yield* page
    if (page.length < BATCH) return
    after = page.at(-1)?.repo_id ?? after
  }
}

/** Finds rows of repositories that are not stored: no sweep would ever delete them. */
async function* findOrphans(db: Db): AsyncGenerator<Problem> {
  for (const table of await listRepositoryTables(db)) {
    if (WITHOUT_ORPHANS.includes(table)) continue
    const known = allRepositories(db)
    let next = await known.next()
    for (let at = await nextRepository(db, table, -1); at !== undefined; ) {
      while (!next.done && next.value.repo_id < at) next = await known.next()
      // The repository may have been created since its page was read.
      if ((next.done || next.value.repo_id !== at) && !(await findRepository(db, at)))
        yield {
          where: table,
          problem: `has rows of the unknown repository ${at}`,
          remedy: `run: purge ${at}`,
        }
      at = await nextRepository(db, table, at)
    }
  }
}

interface TableCheck {
  table: CheckedTable
  repo_id: number
  clock: Clock
  checked: Checked
}

async function* checkTable(db: Db, check: TableCheck): AsyncGenerator<Problem> {
  const { table, repo_id, checked } = check
  for await (const rows of rowsOf(db, table, repo_id, BATCH)) {
    checked.rows += rows.length
    for (const { name, problems, remedy } of await checkRows(db, check, rows))
      yield* withRemedy(`${table} ${name} of repository ${repo_id}`, problems, remedy)
  }
}

async function* checkClaims(db: Db, repo_id: number, isRepairing: boolean): AsyncGenerator<Problem> {
  for await (const { where, problem, repair } of findDrift(db, repo_id)) {
    if (isRepairing) await repair()
    yield {
      where: `${where} of repository ${repo_id}`,
      problem,
      remedy: isRepairing ? 'repaired' : 'run: verify --repair',
      is_repaired: isRepairing,
    }
  }
}

/** Passes problems on. If PostgreSQL cannot read the data, that is reported as a problem, and the check continues. */
async function* whileReadable(where: string, problems: AsyncGenerator<Problem>): AsyncGenerator<Problem> {
  try {
    yield* problems
  } catch (error) {
    if (!codeOf(error)?.startsWith('XX')) throw error
    yield {
      where,
      problem: `cannot be read (${codeOf(error)})`,
      remedy: 'restore the database from a backup',
    }
  }
}

async function* checkJobs(db: Db, clock: Clock): AsyncGenerator<Problem> {
  const now = clock()
  for (const job of await listFailingJobs(db, { now, due_before: later(now, -STUCK_MS) }, LISTED_MAX)) {
    const where = `jobs ${job.id}`
    if (job.state === 'dead')
      yield {
        where,
        problem: `was dead-lettered after ${job.attempts} attempts`,
        remedy: `fix the cause, then run: deliveries replay ${job.id}`,
      }
    else
      yield {
        where,
        problem: `has been due since ${job.run_at.toISOString()} and no worker leased it`,
        remedy: 'check that the service runs with the App configured, and check its log',
      }
  }
}

function* withRemedy(where: string, problems: RowProblem[], remedy: string): Generator<Problem> {
  for (const { field, problem } of problems) yield { where, problem: `${field} ${problem}`, remedy }
}
