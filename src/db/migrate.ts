/** Brings the schema up to date at start, on however many instances start together (architecture: storage). */
import { fileURLToPath } from 'node:url'
import { type SQL, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Db } from './connect.ts'
import { distributeMigrated } from './distribute.ts'
import { lockSchema } from './statements.ts'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url))

/**
 * Applies the migrations that the database lacks. Drizzle's own migrator takes no lock, so it runs inside a transaction
 * that holds one: the lock goes with the transaction, which also holds behind a pooler in transaction mode.
 */
export async function migrate(db: Db): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await lockSchema(tx)
    // On a distributed database, DDL after a change of rows is possible only where no statement used several connections
    // to a node. Elsewhere the name says nothing.
    await tx.execute(sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`)
    const { dialect, session } = tx as unknown as MigratorParts
    // The migrator opens a transaction by itself, which a session inside one cannot on every driver: it gets this one.
    const within: MigratorSession = {
      execute: (query) => session.execute(query),
      all: (query) => session.all(query),
      transaction: (work) => work(tx),
    }
    await dialect.migrate(migrations, within, { migrationsFolder: MIGRATIONS })
    await distributeMigrated(tx)
  })
}

/**
 * Compares the migrations that the database has with those of this version: how many of them it lacks, how many it has
 * that this version does not know, and how many were applied with another text.
 */
export async function compareMigrations(
  db: Db,
): Promise<{ missing: number; unknown: number; changed: number }> {
  const ours = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  const applied = await db
    .select({ hash: sql<string>`hash`, made_at: sql<number>`created_at`.mapWith(Number) })
    .from(sql`drizzle.__drizzle_migrations`)
  const hashes = new Map(applied.map(({ made_at, hash }) => [made_at, hash]))
  const known = new Set(ours.map(({ folderMillis }) => folderMillis))
  return {
    missing: ours.filter(({ folderMillis }) => !hashes.has(folderMillis)).length,
    unknown: applied.filter(({ made_at }) => !known.has(made_at)).length,
    changed: ours.filter(({ folderMillis, hash }) => (hashes.get(folderMillis) ?? hash) !== hash).length,
  }
}

/** What Drizzle's `migrate(db)` reaches for on each driver; a transaction has the same parts. */
interface MigratorParts {
  dialect: {
    migrate(
      migrations: unknown,
      session: MigratorSession,
      config: { migrationsFolder: string },
    ): Promise<void>
  }
  session: Pick<MigratorSession, 'execute' | 'all'>
}

interface MigratorSession {
  execute(query: SQL): Promise<unknown>
  all(query: SQL): Promise<unknown[]>
  transaction(work: (tx: unknown) => Promise<unknown>): Promise<unknown>
}
