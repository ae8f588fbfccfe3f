/** The SQL by which the database is verified: it reads in batches, and changes nothing. */
import { and, asc, eq, getTableColumns, gt, inArray, lte, or, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn } from 'drizzle-orm/pg-core'
import { type ActivityRow, activities } from '../activities/table.ts'
import { claims, tallies } from '../claims/table.ts'
import type { RepositoryRow } from '../context/store.ts'
import { repositories } from '../context/table.ts'
import type { Db } from '../db/connect.ts'
import { type JobRow, jobs } from '../jobs/table.ts'
import { type NotableRow, notables } from '../notables/table.ts'
import { type PullRequestRow, pull_requests, redeliveries } from '../pull-requests/table.ts'
import type { StoredKey } from './store.ts'
import { idempotency_keys, quotas } from './table.ts'

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
]

/** The tables whose rows are looked at one by one, with what their keys hold besides the repository. */
const READ = {
  activities: { table: activities, keys: [activities.id] },
  notables: { table: notables, keys: [notables.id] },
  pull_requests: { table: pull_requests, keys: [pull_requests.number] },
  idempotency_keys: {
    table: idempotency_keys,
    keys: [idempotency_keys.caller, idempotency_keys.operation, idempotency_keys.key],
  },
} satisfies Record<string, { table: (typeof TABLES)[number]; keys: PgColumn[] }>

export interface RowsOf {
  activities: ActivityRow
  notables: NotableRow
  pull_requests: PullRequestRow
  idempotency_keys: StoredKey
}
export type ReadTable = keyof RowsOf
export const READ_TABLES = Object.keys(READ) as ReadTable[]

/** Each row that a table holds of a repository, in batches of `limit`. */
export async function* rowsOf<Name extends ReadTable>(
  db: Db,
  name: Name,
  repo_id: number,
  limit: number,
): AsyncGenerator<RowsOf[Name][]> {
  const { table, keys } = READ[name]
  const key = sql.join(keys, sql`, `)
  let after: unknown[] | undefined
  for (;;) {
    const isAfter: SQL | undefined = after && sql`(${key}) > (${sql.join(after.map(given), sql`, `)})`
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

function given(value: unknown): SQL {
  return typeof value === 'number' ? sql`${value}::int` : sql`${value}::text`
}

/** Which of the ids belong to records of the repository. */
export async function existing(
  db: Db,
  name: 'activities' | 'notables',
  repo_id: number,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { table } = READ[name]
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.repo_id, repo_id), inArray(table.id, ids)))
  return new Set(rows.map(({ id }) => id))
}

/** The names of the tables that hold rows of repositories; `jobs` may hold some of repositories that are not known. */
export async function listRepositoryTables(db: Db): Promise<string[]> {
  const rows = await db
    .select({ name: sql<string>`table_name` })
    .from(sql`information_schema.columns`)
    .where(
      sql`column_name = 'repo_id' and table_schema = current_schema() and table_name not in ('jobs', 'repositories')`,
    )
  return rows.map(({ name }) => name).sort()
}

/** The first repository after `after` that a table has a row of; undefined when there is none. */
export async function nextRepository(db: Db, table: string, after: number): Promise<number | undefined> {
  const [row] = await db
    .select({ repo_id: sql<number>`repo_id`.mapWith(Number) })
    .from(sql`${sql.identifier(table)}`)
    .where(sql`repo_id > ${after}::bigint`)
    .orderBy(sql`repo_id`)
    .limit(1)
  return row?.repo_id
}

/** Up to `limit` repositories after `after`, in the order of their ids. */
export function listRepositoriesAfter(db: Db, after: number, limit: number): Promise<RepositoryRow[]> {
  return db
    .select()
    .from(repositories)
    .where(gt(repositories.repo_id, after))
    .orderBy(asc(repositories.repo_id))
    .limit(limit)
}

/** Up to `limit` jobs that were given up, or have been due since `due_before` and are with no worker. */
export function listTroubledJobs(
  db: Db,
  at: { now: Date; due_before: Date },
  limit: number,
): Promise<Omit<JobRow, 'payload'>[]> {
  const { payload: _, ...columns } = getTableColumns(jobs)
  const isFree = or(sql`${jobs.leased_until} is null`, lte(jobs.leased_until, at.now))
  const isStuck = and(eq(jobs.state, 'pending'), lte(jobs.run_at, at.due_before), isFree)
  return db
    .select(columns)
    .from(jobs)
    .where(or(eq(jobs.state, 'dead'), isStuck))
    .orderBy(asc(jobs.run_at), asc(jobs.id))
    .limit(limit)
}

/** What the schema lacks: tables, columns and indexes by name; and indexes that are there and not valid. */
export async function examineSchema(db: Db): Promise<{ missing: string[]; invalid: string[] }> {
  const columns = await db
    .select({ name: sql<string>`table_name || '.' || column_name` })
    .from(sql`information_schema.columns`)
    .where(sql`table_schema = current_schema()`)
  const indexes = await db
    .select({ name: sql<string>`c.relname`, is_valid: sql<boolean>`i.indisvalid and i.indisready` })
    .from(sql`pg_index i join pg_class c on c.oid = i.indexrelid`)
    .where(sql`c.relnamespace = current_schema()::regnamespace`)
  const there = new Set([...columns, ...indexes].map(({ name }) => name))
  const wanted = TABLES.map((table) => getTableConfig(table)).flatMap((table) => [
    ...table.columns.map((column) => `${table.name}.${column.name}`),
    ...table.indexes.map((index) => index.config.name as string),
    ...table.primaryKeys.map((key) => key.getName()),
  ])
  return {
    missing: wanted.filter((name) => !there.has(name)),
    invalid: indexes.filter(({ is_valid }) => !is_valid).map(({ name }) => name),
  }
}
