/** Distributes the tables across the nodes of a Citus cluster, by repository (docs/operations.md: Citus), and says how sessions plan their statements. */
import { sql } from 'drizzle-orm'
import { type Db, lockSchema, ONE_ROW } from './database.ts'

/**
 * Settings of every session (docs/operations.md lists them for poolers). Sequential scans are off because every statement
 * can use an index, and a plan that was cached while a table was small would keep its scan after the table has grown. JIT
 * compilation is off because it takes longer than the statements run. The service reads times in ISO format only.
 */
export const PLANNING = { enable_seqscan: 'off', jit: 'off', datestyle: 'iso' }

/** A prepared statement is planned once, because planning it for its values takes longer than running it. */
export const PLANNED_ONCE = 'force_generic_plan'

/** An SQL condition: Citus manages `table`, which is an SQL expression. False without Citus. */
const isManaged = (table: string) => `exists (
  select from pg_depend d join pg_extension e on e.oid = d.refobjid
  where e.extname = 'citus' and d.refclassid = 'pg_extension'::regclass
    and d.classid = 'pg_class'::regclass and d.objid = ${table})`

/** An SQL condition: the tables are distributed. */
const IS_DISTRIBUTED = isManaged("to_regclass('repositories')")

/** Completes the settings of a session. On a distributed database the values determine the shard, so statements are planned for their values. */
export const SET_PLANNING = `select set_config('plan_cache_mode', case when ${IS_DISTRIBUTED} then 'auto' else '${PLANNED_ONCE}' end, false), set_config('bytea_output', 'hex', false)`

/**
 * The tables that are not distributed, but managed by Citus, so that a transaction that also changes a repository commits on all
 * nodes or on none. Workers poll the jobs of all repositories. Rows of repositories are read together with their installation.
 */
const UNDISTRIBUTED: Record<string, Placement> = {
  jobs: 'on the coordinator',
  installations: 'on every node',
}

type Placement = 'on the coordinator' | 'on every node' | 'distributed by repo_id'

/** The database cannot be distributed. The message is one line for the operator. */
export class DistributeError extends Error {}

export interface TablePlacement {
  name: string
  placement: Placement
  /** False if the table was distributed before. */
  is_new: boolean
}

/**
 * Distributes the tables that are not distributed yet, in one transaction, and configures planning on the nodes as the
 * service does for its own connections. Throws `DistributeError`.
 */
export async function distribute(db: Db): Promise<TablePlacement[]> {
  await refuseWithoutCitus(db)
  const tables = await db.transaction(async (tx) => {
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

/** Distributes tables that a migration created, if the others are distributed. The transaction must hold the schema lock. */
export async function distributeMigrated(tx: Db): Promise<void> {
  const [row] = await tx.select({ is_distributed: sql<boolean>`${sql.raw(IS_DISTRIBUTED)}` }).from(ONE_ROW)
  if (row?.is_distributed) await distributeNew(tx, await listTables(tx))
}

async function refuseWithoutCitus(db: Db): Promise<void> {
  const [extension] = await db
    .select({ name: sql`extname` })
    .from(sql`pg_extension`)
    .where(sql`extname = 'citus'`)
  if (!extension)
    throw new DistributeError(
      'Citus is not installed in this database: on every node, add citus to shared_preload_libraries and run "create extension citus" in the database; see docs/operations.md',
    )
  const [node] = await db
    .select({
      is_worker: sql<boolean>`(select groupid <> 0 from pg_dist_local_group)`,
      is_known: sql<boolean>`exists (select from pg_dist_node where groupid = 0)`,
    })
    .from(ONE_ROW)
  if (node?.is_worker)
    throw new DistributeError(
      'DATABASE_URL is the address of a worker of the cluster; set it to the coordinator',
    )
  if (!node?.is_known)
    throw new DistributeError(
      'the coordinator of the cluster is not set: run "select citus_set_coordinator_host(\'HOST\', PORT)" with the address at which the workers reach it',
    )
}

/** Connected instances plan their statements for a single server, and their transactions would wait for locks on the tables. */
async function refuseBesideInstances(tx: Db): Promise<void> {
  const others = await tx
    .select({ pid: sql`pid` })
    .from(sql`pg_stat_activity`)
    .where(sql`application_name = 'deconflict' and datname = current_database() and pid <> pg_backend_pid()`)
  if (others.length > 0)
    throw new DistributeError(
      `instances of the service are connected (${others.length} connections): stop them, run this command, and start them again`,
    )
}

/** The tables that have a `repo_id`, and the undistributed ones. `is_new`: Citus does not manage the table yet. */
async function listTables(tx: Db): Promise<TablePlacement[]> {
  const names = sql.join(
    Object.keys(UNDISTRIBUTED).map((name) => sql`${name}`),
    sql`, `,
  )
  const rows = await tx
    .select({
      name: sql<string>`table_name`,
      is_new: sql<boolean>`not ${sql.raw(isManaged('to_regclass(quote_ident(table_name))'))}`,
    })
    .from(sql`information_schema.columns`)
    .where(sql`(column_name = 'repo_id' or table_name in (${names})) and table_schema = current_schema()`)
    .groupBy(sql`table_name`)
    // The other tables are colocated with the first one.
    .orderBy(sql`table_name <> 'repositories', table_name`)
  return rows.map((row) => ({ ...row, placement: UNDISTRIBUTED[row.name] ?? 'distributed by repo_id' }))
}

async function distributeNew(tx: Db, tables: TablePlacement[]): Promise<TablePlacement[]> {
  for (const table of tables) if (table.is_new) await place(tx, table)
  return tables
}

async function place(tx: Db, { name, placement }: TablePlacement): Promise<void> {
  const table = sql`${`"${name.replaceAll('"', '""')}"`}::regclass`
  if (placement === 'on the coordinator') {
    await tx.execute(sql`select citus_add_local_table_to_metadata(${table})`)
    return
  }
  if (placement === 'on every node') {
    await tx.execute(sql`select create_reference_table(${table})`)
    return
  }
  const colocated_with = name === 'repositories' ? 'none' : 'repositories'
  await tx.execute(
    sql`select create_distributed_table(${table}, 'repo_id', colocate_with => ${colocated_with}::text)`,
  )
  // The rows were copied to the shards. The originals would stay in a file on the coordinator that is not read any more.
  await tx.execute(sql`select truncate_local_data_after_distributing_table(${table})`)
}

/** Configures the planning of statements on the nodes in the same way as on the connections of the service. */
async function setPlanning(db: Db): Promise<void> {
  const [row] = await db.select({ database: sql<string>`current_database()` }).from(ONE_ROW)
  const database = sql.identifier(row?.database as string)
  for (const [name, value] of Object.entries(PLANNING))
    await db.execute(
      sql`alter role current_user in database ${database} set ${sql.raw(`${name} = ${value}`)}`,
    )
}

/** The number of shards on each node, by its address. */
export async function listShardCounts(db: Db): Promise<{ node: string; shards: number }[]> {
  return db
    .select({ node: sql<string>`nodename || ':' || nodeport`, shards: sql<number>`count(*)::int` })
    .from(sql`citus_shards`)
    .where(sql`citus_table_type = 'distributed'`)
    .groupBy(sql`1`)
    .orderBy(sql`1`)
}
