/** SQL of the integrity check. It reads in batches and changes nothing. */
import { and, asc, eq, getTableColumns, gt, inArray, lte, or, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn } from 'drizzle-orm/pg-core'
import { type ActivityRow, activities } from '../activities/table.ts'
import { claims, tallies } from '../claims-index/table.ts'
import type { Db } from '../db/database.ts'
import { type JobRow, jobs } from '../jobs/table.ts'
import { merged_changes, noise_pairs, pair_totals, pairs } from '../ledger/table.ts'
import { file_changes } from '../line-verdicts/table.ts'
import { type NotableRow, notables } from '../notables/table.ts'
import type { StoredKey } from '../operations/store.ts'
import { idempotency_keys, quotas } from '../operations/table.ts'
import { pull_requests, redeliveries } from '../pull-requests/table.ts'
import type { RepositoryRow } from '../repositories/store.ts'
import { repositories } from '../repositories/table.ts'
import { created_app, setup_codes } from '../setup/table.ts'
import { branch_commits, branch_links } from '../stacks/table.ts'

const TABLES = [
  activities,
  notables,
  pull_requests,
  idempotency_keys,
  repositories,
  jobs,
  quotas,
  redeliveries,
  claims,
  tallies,
  file_changes,
  branch_commits,
  branch_links,
  pairs,
  merged_changes,
  noise_pairs,
  pair_totals,
  setup_codes,
  created_app,
]

/** The tables with rules that no constraint can express, with the columns of their keys after `repo_id`. */
const CHECKED = {
  activities: { table: activities, keys: [activities.id] },
  notables: { table: notables, keys: [notables.id] },
  idempotency_keys: {
    table: idempotency_keys,
    keys: [idempotency_keys.caller, idempotency_keys.operation, idempotency_keys.key],
  },
} satisfies Record<string, { table: (typeof TABLES)[number]; keys: PgColumn[] }>

export interface RowsOf {
  activities: ActivityRow
  notables: NotableRow
  idempotency_keys: StoredKey
}
export type CheckedTable = keyof RowsOf
export const CHECKED_TABLES = Object.keys(CHECKED) as CheckedTable[]

/** Yields all rows of a repository, in batches of `limit`. */
export async function* rowsOf<Name extends CheckedTable>(
  db: Db,
  name: Name,
  repo_id: number,
  limit: number,
): AsyncGenerator<RowsOf[Name][]> {
  const { table, keys } = CHECKED[name]
  const key = sql.join(keys, sql`, `)
  let after: unknown[] | undefined
  for (;;) {
    const isAfter: SQL | undefined = after && sql`(${key}) > (${sql.join(after.map(typed), sql`, `)})`
    const rows: RowsOf[Name][] = (await db
      .select()
      .from(table)
      .where(and(eq(table.repo_id, repo_id), isAfter))
      .orderBy(...keys.map((column) => asc(column)))
      .limit(limit)) as unknown as RowsOf[Name][]
    yield rows
    const last = rows.at(-1) as Record<string, unknown> | undefined
    if (!last || rows.length < limit) return
    after = keys.map((column) => last[column.name])
  }
}

function typed(value: unknown): SQL {
  return typeof value === 'number' ? sql`${value}::int` : sql`${value}::text`
}

/** Those of `ids` that belong to records of the repository. */
export async function findExisting(
  db: Db,
  name: 'activities' | 'notables',
  repo_id: number,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { table } = CHECKED[name]
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.repo_id, repo_id), inArray(table.id, ids)))
  return new Set(rows.map(({ id }) => id))
}

/** The names of all tables with a `repo_id`. */
export async function listRepositoryTables(db: Db): Promise<string[]> {
  const rows = await db
    .select({ name: sql<string>`table_name` })
    .from(sql`information_schema.columns`)
    .where(sql`column_name = 'repo_id' and table_schema = current_schema()`)
  return rows.map(({ name }) => name).sort()
}

/** The first repository after `after` with a row in the table. */
export async function nextRepository(db: Db, table: string, after: number): Promise<number | undefined> {
  const [row] = await db
    .select({ repo_id: sql<number>`repo_id`.mapWith(Number) })
    .from(sql`${sql.identifier(table)}`)
    .where(sql`repo_id > ${after}::bigint`)
    .orderBy(sql`repo_id`)
    .limit(1)
  return row?.repo_id
}

/** Up to `limit` repositories after `after`, ordered by id. */
export function listRepositoriesAfter(db: Db, after: number, limit: number): Promise<RepositoryRow[]> {
  return db
    .select()
    .from(repositories)
    .where(gt(repositories.repo_id, after))
    .orderBy(asc(repositories.repo_id))
    .limit(limit)
}

/** Up to `limit` jobs that are dead letters, or that have been due since `due_before` without a lease. */
export function listFailingJobs(
  db: Db,
  at: { now: Date; due_before: Date },
  limit: number,
): Promise<Omit<JobRow, 'payload'>[]> {
  const { payload: _, ...columns } = getTableColumns(jobs)
  const isUnleased = or(sql`${jobs.leased_until} is null`, lte(jobs.leased_until, at.now))
  const isStuck = and(eq(jobs.state, 'pending'), lte(jobs.run_at, at.due_before), isUnleased)
  return db
    .select(columns)
    .from(jobs)
    .where(or(eq(jobs.state, 'dead'), isStuck))
    .orderBy(asc(jobs.run_at), asc(jobs.id))
    .limit(limit)
}

export interface SchemaState {
  /** Names of columns, keys, indexes and constraints. */
  missing: string[]
  invalid_indexes: string[]
  /** Constraints that older rows may violate. */
  unvalidated: { table: string; name: string }[]
}

/** Compares the schema of the database with the definitions of the tables. */
export async function examineSchema(db: Db): Promise<SchemaState> {
  const columns = await db
    .select({ name: sql<string>`table_name || '.' || column_name` })
    .from(sql`information_schema.columns`)
    .where(sql`table_schema = current_schema()`)
  const indexes = await db
    .select({ name: sql<string>`c.relname`, is_valid: sql<boolean>`i.indisvalid and i.indisready` })
    .from(sql`pg_index i join pg_class c on c.oid = i.indexrelid`)
    .where(sql`c.relnamespace = current_schema()::regnamespace`)
  const constraints = await db
    .select({
      name: sql<string>`conname`,
      table: sql<string>`conrelid::regclass::text`,
      is_valid: sql<boolean>`convalidated`,
    })
    .from(sql`pg_constraint`)
    .where(sql`contype = 'c' and connamespace = current_schema()::regnamespace`)
  const present = new Set([...columns, ...indexes, ...constraints].map(({ name }) => name))
  const expected = TABLES.map((table) => getTableConfig(table)).flatMap((table) => [
    ...table.columns.map((column) => `${table.name}.${column.name}`),
    ...table.indexes.map((index) => index.config.name as string),
    ...table.primaryKeys.map((key) => key.getName()),
    ...table.checks.map((check) => check.name),
  ])
  return {
    missing: expected.filter((name) => !present.has(name)),
    invalid_indexes: indexes.filter(({ is_valid }) => !is_valid).map(({ name }) => name),
    unvalidated: constraints.filter(({ name, is_valid }) => !is_valid && expected.includes(name)),
  }
}

/** The keys of up to `limit` rows that violate a constraint. */
export async function listViolations(
  db: Db,
  constraint: string,
  limit: number,
): Promise<Record<string, unknown>[]> {
  for (const table of TABLES) {
    const { checks, primaryKeys, columns } = getTableConfig(table)
    const check = checks.find(({ name }) => name === constraint)
    if (!check) continue
    const names = primaryKeys[0]?.columns.map(({ name }) => name)
    const keys = columns.filter(({ name, primary }) => names?.includes(name) ?? primary)
    const key = Object.fromEntries(keys.map((column) => [column.name, column]))
    return db.select(key).from(table).where(sql`not (${check.value})`).limit(limit)
  }
  return []
}
