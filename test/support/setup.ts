/** Creates the migrated template databases, once per run and only for the projects that run. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { distribute, PLANNING } from '../../src/server/platform/db/distribute.ts'
import { connectDatabase, openDatabase } from '../../src/server/platform/db/open.ts'
import { hasCitus, startCitus } from './citus.ts'
import { runOn, schemaOf } from './database.ts'
import { connectRaw, databaseUrl, startCluster } from './postgres.ts'
import { temporaryDirectory } from './temporary-directory.ts'

type TearDown = () => Promise<void>

export default async function setup(project: TestProject): Promise<TearDown | undefined> {
  const kind = project.config.env.TEST_DATABASE_KIND as 'postgres' | 'citus' | 'embedded'
  // Later projects of the same kind reuse what the run provides.
  const run = project.vitest.getRootProject()
  if (kind in run.getProvidedContext()) return undefined
  const provide = { postgres: providePostgres, citus: provideCitus, embedded: provideEmbedded }[kind]
  const scratch = await temporaryDirectory('data')
  const tearDown = await provide(run, scratch.path)
  return async () => {
    await tearDown()
    await scratch.remove()
  }
}

/** On the server at `TEST_DATABASE_URL`, whose user must be allowed to create databases; else on one started here. */
async function providePostgres(run: TestProject, scratch: string): Promise<TearDown> {
  const cluster = process.env.TEST_DATABASE_URL ? undefined : await startCluster()
  const url = cluster?.url ?? (process.env.TEST_DATABASE_URL as string)
  const template = `deconflict_test_${randomBytes(4).toString('hex')}`
  const tearDown = () => (cluster ? cluster.remove() : dropAll(url, template))
  return orTearDown(tearDown, async () => {
    await runOn(url, `create database ${template}`)
    await migrate({ database_url: databaseUrl(url, template), data_dir: scratch })
    const sql = connectRaw(databaseUrl(url, template))
    const schema = await schemaOf(sql)
    await sql.end()
    run.provide('postgres', { url, template, schema, scratch })
  })
}

/** Drops the template and its copies. */
async function dropAll(url: string, template: string): Promise<void> {
  const names = await runOn(url, `select datname from pg_database where datname like '${template}%'`)
  for (const { datname } of names) await runOn(url, `drop database if exists ${datname} with (force)`)
}

/**
 * On a coordinator and two workers, with few shards, which are slow to create. The planner settings that `distribute` gives
 * the nodes belong to the template, and its copies do not have them, so the servers do.
 */
async function provideCitus(run: TestProject, scratch: string): Promise<TearDown> {
  if (!(await hasCitus()))
    throw new Error(
      'The tests on Citus need its extension: install Citus 12.1 for the PostgreSQL of this system' +
        ' (https://docs.citusdata.com/en/stable/installation/), as postgresql-15-citus-12.1 or built from its source.',
    )
  const cluster = await startCitus({ workers: 2, settings: { 'citus.shard_count': '4', ...PLANNING } })
  const template = 'deconflict_template'
  return orTearDown(cluster.remove, async () => {
    const database_url = await cluster.createDatabase(template)
    await migrate({ database_url, data_dir: scratch })
    const database = await connectDatabase({ database_url, data_dir: scratch })
    await database.withLongTimeout(distribute)
    await database.close()
    await cluster.closeDatabase(template)
    run.provide('citus', { urls: cluster.urls(), template, scratch })
  })
}

async function provideEmbedded(run: TestProject, scratch: string): Promise<TearDown> {
  const template = join(scratch, 'template')
  await migrate({ database_url: undefined, data_dir: template })
  run.provide('embedded', { template, scratch })
  return async () => {}
}

async function orTearDown(tearDown: TearDown, prepare: () => Promise<void>): Promise<TearDown> {
  try {
    await prepare()
    return tearDown
  } catch (error) {
    await tearDown()
    throw error
  }
}

async function migrate(options: Parameters<typeof openDatabase>[0]): Promise<void> {
  const database = await openDatabase(options)
  await database.close()
}
