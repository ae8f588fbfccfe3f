/** A database of its own for each test file, copied from the migrated template that `setup.ts` made. */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { connectRaw, databaseUrl } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** `url`: of the server for tests; `template`: a database on it; `scratch`: the run's own directory. */
    postgres: { url: string; template: string; scratch: string }
    /** `template`: a data directory. */
    embedded: { template: string; scratch: string }
  }
}

/** What `openDatabase` takes, on the database that `TEST_DATABASE_KIND` names. */
export interface FreshDatabase {
  /** Undefined on the embedded database. */
  database_url: string | undefined
  data_dir: string
  /** Close what is open on it first: an open embedded database writes on. */
  drop(): Promise<void>
}

export async function freshDatabase(): Promise<FreshDatabase> {
  return process.env.TEST_DATABASE_KIND === 'embedded' ? freshEmbedded() : freshPostgres()
}

async function freshEmbedded(): Promise<FreshDatabase> {
  const { template, scratch } = inject('embedded')
  const data_dir = await mkdtemp(join(scratch, 'data-'))
  await cp(template, data_dir, { recursive: true })
  return { database_url: undefined, data_dir, drop: () => rm(data_dir, { recursive: true }) }
}

async function freshPostgres(): Promise<FreshDatabase> {
  const { url, template, scratch } = inject('postgres')
  const name = `${template}_${randomBytes(4).toString('hex')}`
  await runOn(url, `create database ${name} template ${template}`)
  return {
    database_url: databaseUrl(url, name),
    data_dir: join(scratch, name),
    drop: () => runOn(url, `drop database ${name} with (force)`),
  }
}

/** Runs one statement that takes no parameters, such as those on whole databases. */
export async function runOn(url: string, statement: string): Promise<void> {
  const sql = connectRaw(url)
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
