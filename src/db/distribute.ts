/** Distributes the tables over the nodes of a Citus cluster, by repository (docs/operations.md: Citus). */
import { sql } from 'drizzle-orm'
import type { Db } from './connect.ts'
import { IS_DISTRIBUTED, isManaged, PLANNING } from './planning.ts'
import { lockSchema } from './statements.ts'

/**
 * Tables with a `repo_id` that stay on the coordinator: workers look for due jobs of all repositories. Citus manages them
 * all the same, so that a transaction that changes a record and enqueues a job commits on both nodes or on none.
 */
const ON_COORDINATOR = ['jobs']

/** The database cannot be distributed. The message is one line for the operator. */
export class DistributeError extends Error {}

export interface TablePlacement {
  name: string
  is_on_coordinator: boolean
  /** False when the table was distributed before. */
  is_new: boolean
}

/**
 * Distributes what is not distributed yet, in one transaction, and has the nodes plan as the service does. Throws
 * `DistributeError`.
 */
export async function distribute(db: Db): Promise<TablePlacement[]> {
  await refuseWithoutCitus(db)
  const tables = await db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await lockSchema(tx)
    const found = await listTables(tx)
    if (found.length === 0)
      throw new DistributeError('the database has no schema; start the service on it once')
    if (found.some(({ is_new }) => is_new)) await refuseBesideInstances(tx)
    return distributeNew(tx, found)
  })
  await setPlanning(db)
  return tables
}

/** Distributes the tables that a migration made, where the others are distributed. Its transaction holds the schema's lock. */
export async function distributeMigrated(tx: Db): Promise<void> {
  const [row] = await tx
    .select({ is_distributed: sql<boolean>`${sql.raw(IS_DISTRIBUTED)}` })
    .from(sql`(values (1)) as one`)
  if (row?.is_distributed) await distributeNew(tx, await listTables(tx))
}

async function refuseWithoutCitus(db: Db): Promise<void> {
  const [extension] = await db
    .select({ name: sql`extname` })
    .from(sql`pg_extension`)
    .where(sql`extname = 'citus'`)
  if (!extension)
    throw new DistributeError(
      'this database has no Citus: add citus to shared_preload_libraries and run "create extension citus" in it, on every node; see docs/operations.md',
    )
  const [node] = await db
    .select({
      is_worker: sql<boolean>`(select groupid <> 0 from pg_dist_local_group)`,
      is_known: sql<boolean>`exists (select from pg_dist_node where groupid = 0)`,
    })
    .from(sql`(values (1)) as one`)
  if (node?.is_worker)
    throw new DistributeError('DATABASE_URL names a worker of the cluster: name its coordinator')
  if (!node?.is_known)
    throw new DistributeError(
      'the cluster does not know its coordinator: run "select citus_set_coordinator_host(\'HOST\', PORT)" with the address by which the workers reach it',
    )
}

/** An instance that is connected plans for one server, and would wait for the tables in the middle of its transactions. */
async function refuseBesideInstances(tx: Db): Promise<void> {
  const others = await tx
    .select({ pid: sql`pid` })
    .from(sql`pg_stat_activity`)
    .where(sql`application_name = 'deconflict' and datname = current_database() and pid <> pg_backend_pid()`)
  if (others.length > 0)
    throw new DistributeError(
      `instances of the service are connected (${others.length} connections): stop them, and start them again afterwards`,
    )
}

/** The tables that have a `repo_id`; `is_new` where Citus does not manage them yet. */
function listTables(tx: Db): Promise<TablePlacement[]> {
  const names = sql.join(
    ON_COORDINATOR.map((name) => sql`${name}`),
    sql`, `,
  )
  return (
    tx
      .select({
        name: sql<string>`table_name`,
        is_on_coordinator: sql<boolean>`table_name in (${names})`,
        is_new: sql<boolean>`not ${sql.raw(isManaged('to_regclass(quote_ident(table_name))'))}`,
      })
      .from(sql`information_schema.columns`)
      .where(sql`column_name = 'repo_id' and table_schema = current_schema()`)
      // The others are placed beside the first.
      .orderBy(sql`table_name <> 'repositories', table_name`)
  )
}

async function distributeNew(tx: Db, tables: TablePlacement[]): Promise<TablePlacement[]> {
  for (const table of tables) if (table.is_new) await place(tx, table)
  return tables
}

async function place(tx: Db, { name, is_on_coordinator }: TablePlacement): Promise<void> {
  const table = sql`${`"${name.replaceAll('"', '""')}"`}::regclass`
  if (is_on_coordinator) {
    await tx.execute(sql`select citus_add_local_table_to_metadata(${table})`)
    return
  }
  const beside = name === 'repositories' ? 'none' : 'repositories'
  await tx.execute(
    sql`select create_distributed_table(${table}, 'repo_id', colocate_with => ${beside}::text)`,
  )
  // The rows were copied; the originals stay in a file on the coordinator, which nothing reads from now on.
  await tx.execute(sql`select truncate_local_data_after_distributing_table(${table})`)
}

/** Has the nodes plan their part of a statement as the service has its connections plan the whole. */
async function setPlanning(db: Db): Promise<void> {
  const [row] = await db.select({ database: sql<string>`current_database()` }).from(sql`(values (1)) as one`)
  const database = sql.identifier(row?.database as string)
  for (const [name, value] of Object.entries(PLANNING))
    await db.execute(
      sql`alter role current_user in database ${database} set ${sql.raw(`${name} = ${value}`)}`,
    )
}

/** How many shards each node has, by its address. */
export async function listShardCounts(db: Db): Promise<{ node: string; shards: number }[]> {
  return db
    .select({ node: sql<string>`nodename || ':' || nodeport`, shards: sql<number>`count(*)::int` })
    .from(sql`citus_shards`)
    .where(sql`citus_table_type = 'distributed'`)
    .groupBy(sql`1`)
    .orderBy(sql`1`)
}
