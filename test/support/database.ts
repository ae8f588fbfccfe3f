/** A database of its own for each test file: a copy of the migrated template that `setup.ts` made, or an emptied one of an earlier file. */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { connectRaw, databaseUrl } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** `url`: of the server for tests; `template`: a database on it; `schema`: what `schemaOf` says of it; `scratch`: the run's own directory. */
    postgres: { url: string; template: string; schema: string; scratch: string }
    /** `urls`: of the nodes of a Citus cluster, the coordinator first; `template`: a database on each. */
    citus: { urls: string[]; template: string; scratch: string }
    /** `template`: a data directory. */
    embedded: { template: string; scratch: string }
  }
}

export const isEmbedded = process.env.TEST_DATABASE_KIND === 'embedded'

/** What `openDatabase` takes, on the database that `TEST_DATABASE_KIND` names. */
export interface FreshDatabase {
  /** Undefined on the embedded database. */
  database_url: string | undefined
  data_dir: string
  /** Gives it back. Close all connections first: an open embedded database keeps writing. */
  drop(): Promise<void>
}

export async function freshDatabase(): Promise<FreshDatabase> {
  const { TEST_DATABASE_KIND: kind } = process.env
  if (isEmbedded) return freshEmbedded()
  if (kind !== 'citus') return reusedDatabase()
  const { urls, template, scratch } = inject('citus')
  return copyTemplate(urls, template, scratch)
}

async function freshEmbedded(): Promise<FreshDatabase> {
  const { template, scratch } = inject('embedded')
  const data_dir = await mkdtemp(join(scratch, 'data-'))
  await cp(template, data_dir, { recursive: true })
  return { database_url: undefined, data_dir, drop: () => rm(data_dir, { recursive: true }) }
}

/** Copies the template on each server. Clients connect to the first. */
async function copyTemplate(urls: string[], template: string, scratch: string): Promise<FreshDatabase> {
  const name = `${template}_${randomBytes(4).toString('hex')}`
  const onEach = (statement: string) => Promise.all(urls.map((url) => runOn(url, statement)))
  await onEach(`create database ${name} template ${template}`)
  return {
    database_url: databaseUrl(urls[0] as string, name),
    data_dir: join(scratch, name),
    drop: async () => void (await onEach(`drop database ${name} with (force)`)),
  }
}

/** Databases that files of this worker have used. To empty one is much faster than to create one. */
const released: FreshDatabase[] = []

async function reusedDatabase(): Promise<FreshDatabase> {
  const { url, template, schema, scratch } = inject('postgres')
  for (let old = released.pop(); old; old = released.pop()) {
    const database = { ...old, data_dir: `${old.data_dir}+` }
    if (await isEmptied(database.database_url as string, schema)) return releasedLater(database)
    await old.drop()
  }
  return releasedLater(await copyTemplate([url], template, scratch))
}

function releasedLater(database: FreshDatabase): FreshDatabase {
  return { ...database, drop: async () => void released.push(database) }
}

/** More than this makes later statements slow: deleted rows stay in the files. */
const REUSED_BYTES_MAX = 2_000_000

/** Empties a database unless somebody uses it, a test has changed its schema, or it has become large. */
async function isEmptied(url: string, schema: string): Promise<boolean> {
  const sql = connectRaw(url)
  try {
    const [used] = await sql`
      select (select count(*) from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend')::int as clients,
        (select sum(pg_table_size(oid)) from pg_class where relkind = 'r' and oid >= ${FIRST_OWN_OID})::int as bytes`
    if (used?.clients > 1 || used?.bytes > REUSED_BYTES_MAX || (await schemaOf(sql)) !== schema) return false
    await sql.unsafe(DELETE_RECORDS)
    return true
  } finally {
    await sql.end()
  }
}

/** Objects of PostgreSQL itself have lower ids. */
const FIRST_OWN_OID = 16_384

/** A database without a schema, on the PostgreSQL of the tests, until the end of the test. */
export async function emptyDatabase(options = ''): Promise<{ url: string; name: string }> {
  const { url } = inject('postgres')
  const name = `deconflict_empty_${randomBytes(4).toString('hex')}`
  await runOn(url, `create database ${name} ${options}`)
  onTestFinished(async () => void (await runOn(url, `drop database ${name} with (force)`)))
  return { url: databaseUrl(url, name), name }
}

/** Describes the schema: equal for a copy of a database, and another one once a test has changed it. */
export async function schemaOf(sql: ReturnType<typeof connectRaw>): Promise<string> {
  const [row] = await sql`
    select md5(string_agg(part, ' ' order by part)) as schema from (
      select (oid, relname, relkind, reloptions, relacl)::text as part from pg_class where oid >= ${FIRST_OWN_OID}
      union all select (attrelid, attname, atttypid, attnotnull)::text from pg_attribute where attrelid >= ${FIRST_OWN_OID}
      union all select (oid, conname, convalidated)::text from pg_constraint where oid >= ${FIRST_OWN_OID}
      union all select (oid, tgname, tgenabled)::text from pg_trigger where oid >= ${FIRST_OWN_OID}
      union all select (oid, proname)::text from pg_proc where oid >= ${FIRST_OWN_OID}
      union all select setconfig::text from pg_db_role_setting join pg_database on setdatabase = pg_database.oid
        where datname = current_database()
    ) as parts`
  return row?.schema
}

/** Deletes all rows. On small tables this is faster than `truncate`. */
export const DELETE_RECORDS = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' loop
    execute format('delete from %I', name);
  end loop;
end $$`

/** The rows of a result, which is another one on each kind of database. */
export const rowsOf = (result: unknown) =>
  ((result as { rows?: unknown }).rows ?? result) as Record<string, unknown>[]

/** Runs one statement that takes no parameters, such as those on whole databases. */
export async function runOn(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = connectRaw(url)
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
