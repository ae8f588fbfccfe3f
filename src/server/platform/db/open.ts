/** Opens the database, PostgreSQL or the embedded one, and migrates its schema (docs/operations.md: upgrade). */

import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { unavailable } from '../../../vocabulary/failure.ts'
import { ROOT } from '../../../vocabulary/root.ts'
import type { Config } from '../config.ts'
import { type Database, type Db, lockSchema } from './database.ts'
import { distributeMigrated } from './distribute.ts'
import { openEmbedded } from './embedded.ts'
import { codeOf } from './errors.ts'
import { openPostgres } from './postgres.ts'

type DatabaseAddress = Pick<Config, 'database_url' | 'database_direct_url' | 'data_dir'>

/** Opens the database and applies missing migrations. */
export async function openDatabase(address: DatabaseAddress): Promise<Database> {
  const database = await connectDatabase(address)
  try {
    // Fails in an encoding that does not have every character.
    await database.connection().execute(sql`select ${'😀'}::text`)
    await database.withLongTimeout(migrate)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the database without migrating it. */
export async function connectDatabase(address: DatabaseAddress): Promise<Database> {
  const { database_url, database_direct_url, data_dir } = address
  return database_url ? openPostgres(database_url, database_direct_url) : openEmbedded(data_dir)
}

/** A database that is still being opened, so that the service can already answer requests: every call fails as unavailable. */
export function unopenedDatabase(kind: Database['kind']): Database {
  const connection = (): never => {
    // Without a cause, so that readiness probes during a start are not logged as errors.
    throw unavailable('the service is starting; try again')
  }
  const fails = async () => connection()
  return { kind, connection, listen: fails, withLongTimeout: fails, close: async () => {} }
}

const MIGRATIONS = fileURLToPath(new URL('drizzle', ROOT))

/**
 * While a migration waits for a table, requests that need the table wait behind it. The timeout, multiplied by the number of
 * tables that a migration changes, stays below PostgreSQL's `deadlock_timeout` of 1 s. In a deadlock between a migration and
 * a request, the migration therefore times out first.
 */
const LOCK_TIMEOUT_MS = 150
/** The pause between two attempts, in which waiting requests can proceed. */
const PAUSE_MS = 500
/** About ten minutes. A backup with pg_dump holds its locks until it is done. */
const ATTEMPTS_MAX = 1000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Applies the missing migrations, each in a transaction of its own, so that validating a constraint does not hold the
 * lock that adding it took. Instances of the previous version keep serving meanwhile. Throws when a table stays locked.
 */
export async function migrate(db: Db): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  while (await whenUnlocked(() => applyNext(db, migrations)));
}

/** Retries `work`, a transaction, while another transaction holds a lock that it needs. */
async function whenUnlocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS_MAX) throw error
      await wait(PAUSE_MS)
    }
  }
}

/** Applies the first missing migration. Returns whether there was one. */
function applyNext(db: Db, migrations: MigrationMeta[]): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The lock ends with the transaction, and so also works behind a pooler in transaction mode.
    await lockSchema(tx)
    await tx.execute(sql`set local lock_timeout = ${sql.raw(String(LOCK_TIMEOUT_MS))}`)
    await tx.execute(sql`create schema if not exists drizzle`)
    await tx.execute(
      sql`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
    )
    const rows = await tx
      .select({ made_at: sql<number>`created_at`.mapWith(Number) })
      .from(sql`drizzle.__drizzle_migrations`)
    const applied = new Set(rows.map(({ made_at }) => made_at))
    const next = migrations.find(({ folderMillis }) => !applied.has(folderMillis))
    if (!next) return false
    // On a distributed database, DDL after a change of rows is possible only if no statement used several connections to
    // a node. Other databases ignore the setting.
    await tx.execute(sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`)
    for (const statement of next.sql) await tx.execute(sql.raw(statement))
    await tx.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${next.hash}, ${next.folderMillis})`,
    )
    await distributeMigrated(tx)
    return true
  })
}
