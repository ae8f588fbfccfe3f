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
  /** Close all connections first: an open embedded database keeps writing. */
  drop(): Promise<void>
}

export async function freshDatabase(): Promise<FreshDatabase> {
  const { TEST_DATABASE_KIND: kind } = process.env
  if (isEmbedded) return freshEmbedded()
  const { scratch, ...given } = kind === 'citus' ? inject('citus') : inject('postgres')
  return copyTemplate('urls' in given ? given.urls : [given.url], given.template, scratch)
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

/** Runs one statement that takes no parameters, such as those on whole databases. */
export async function runOn(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = connectRaw(url)
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
