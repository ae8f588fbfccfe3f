/** A database of an earlier release with this version (docs/operations.md: upgrade). `npm run fixture:upgrade` wrote the dump. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { checkIntegrity } from '../../src/server/admin/integrity.ts'
import type { Database } from '../../src/server/db/database.ts'
import { openDatabase } from '../../src/server/db/open.ts'
import { newId } from '../../src/vocabulary/contract/id.ts'
import { type FreshDatabase, isEmbedded, runOn } from '../support/database.ts'
import { fakeGithub } from '../support/github.ts'
import { connectRaw, databaseUrl } from '../support/postgres.ts'
import { ACTIVITY } from '../support/routes.ts'
import { startTestService } from '../support/service.ts'

const DUMP = readFileSync(new URL('../fixtures/upgrade/release.sql', import.meta.url), 'utf8')
/** The migrations of that release. */
const APPLIED = 4
const WAIT_OPTIONS = { interval: 10 }

type Row = Record<string, unknown> & { id: string }

const { url, scratch, template } = isEmbedded ? { url: '', ...inject('embedded') } : inject('postgres')
const name = `deconflict_upgrade_${randomBytes(4).toString('hex')}`
const address: Pick<FreshDatabase, 'database_url' | 'data_dir'> = {
  database_url: isEmbedded ? undefined : databaseUrl(url, name),
  data_dir: join(scratch, name),
}

/** Runs statements without the service. Returns the rows of the last one. */
async function query(text: string): Promise<Row[]> {
  if (address.database_url === undefined) {
    const client = await PGlite.create({ dataDir: join(address.data_dir, 'pglite') })
    const results = await client.exec(text)
    await client.close()
    return (results.at(-1)?.rows ?? []) as Row[]
  }
  const client = connectRaw(address.database_url)
  const rows = await client.unsafe(text)
  await client.end()
  return rows as unknown as Row[]
}

/** Emptying a copied data directory takes a fraction of the time of creating one. */
const EMPTY = 'drop schema drizzle cascade; drop schema public cascade; create schema public;'

beforeEach(async () => {
  if (isEmbedded) await cp(template, address.data_dir, { recursive: true })
  else await runOn(url, `create database ${name}`)
  await query(isEmbedded ? `${EMPTY}\n${DUMP}` : DUMP)
})
afterEach(async () => {
  if (isEmbedded) await rm(address.data_dir, { recursive: true })
  else await runOn(url, `drop database ${name} with (force)`)
})

const instantOf = (value: unknown) => (value === null ? null : new Date(String(value)).toISOString())

test('the API returns every record of an earlier release unchanged', async () => {
  const rowsOf = (table: string) => `select to_jsonb(each) as row from ${table} as each`
  const rows = await query(`${rowsOf('activities')} union all ${rowsOf('notables')}`)
  const records = rows.map(({ row }) => row as Row)
  const activities = records.filter(({ id }) => id.startsWith('act_'))
  const notables = records.filter(({ id }) => id.startsWith('ntb_'))
  expect(activities.length).toBe(10)
  expect(notables.length).toBe(2)

  const github = fakeGithub()
  github.repository({ id: 1, full_name: 'acme/shop' })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
  const service = await startTestService({ token: 'ada', config: address })
  try {
    service.clock.now = new Date(Math.max(...activities.map((row) => Date.parse(String(row.updated_at)))))
    for (const { id, title, summary, status, blocking, scope, ...row } of records) {
      const path = id.startsWith('act_') ? 'activity' : 'notables'
      const times = ['created_at', 'updated_at', 'expires_at', 'archived_at'].map((time) => [
        time,
        instantOf(row[time]),
      ])
      expect(await service.api('GET', `/${path}/${id}`)).toMatchObject({
        status: 200,
        body: { id, title, summary, status, blocking, scope, ...Object.fromEntries(times) },
      })
    }
    const idsOf = (rows: Row[], ...titles: string[]) =>
      rows.filter(({ title }) => titles.includes(String(title))).map(({ id }) => id)
    const headers = { 'Idempotency-Key': 'kept' }
    // The body is the one that the release stored, without the fields that were added later.
    const replay = await fetch(`${service.url}/api/v1/repos/acme/shop/activity`, {
      method: 'POST',
      headers: { ...headers, authorization: 'Bearer ada', 'content-type': 'application/json' },
      body: JSON.stringify({ ...ACTIVITY, title: 'once' }),
    })
    expect(replay.status).toBe(201)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(await replay.json()).toMatchObject({ activity: { id: idsOf(activities, 'once')[0] } })
    const { body } = await service.api('POST', '/activity/check', { body: { scope: { paths: ['src/b/x'] } } })
    expect(body).toMatchObject({
      related_activity_ids: idsOf(activities, 'wide'),
      related_notable_ids: idsOf(notables, 'new'),
    })
    const problems = []
    const db = service.app.database.connection()
    const checked = { repositories: 0, rows: 0 }
    for await (const problem of checkIntegrity(db, () => service.clock.now, { checked, repair: false }))
      problems.push(problem)
    expect({ problems, ...checked }).toEqual({ problems: [], repositories: 1, rows: 13 })
  } finally {
    await service.close()
    github.close()
  }
  // A comment of the release counts in the budget.
  const counts = 'select count(commented_at)::int as comments, bool_and(commented_at = told_at) as is_exact'
  expect(await query(`${counts} from pull_requests`)).toEqual([{ comments: 1, is_exact: true }])
})

/** A transaction that inserts all records of the dump once more, with the columns of the release. */
function transactionOfRelease(live: { act: number; ntb: number }): string {
  const ids = new Map<string, string>()
  const inserts = DUMP.split(/;$/m)
    .filter((statement) => /^\s*INSERT INTO public\.(activities|notables|claims) /.test(statement))
    .map((statement) => `${statement};`)
    .join('')
    .replace(/\b(act|ntb)_[0-9a-z]{26}\b/g, (id, prefix: 'act' | 'ntb') => {
      ids.set(id, ids.get(id) ?? newId(prefix))
      return ids.get(id) as string
    })
  const tallies = Object.entries(live).map(
    ([counted, count]) => `insert into tallies values (1, '${counted}', 0, ${count})
      on conflict (repo_id, counted, shard) do update set count = tallies.count + excluded.count;`,
  )
  const heartbeat = `update activities set heartbeat_at = updated_at, expires_at = expires_at + interval '1 hour'
    where repo_id = 1 and status = 'active';`
  return ['begin;', inserts, ...tallies, heartbeat, 'commit;'].join('\n')
}

describe.skipIf(isEmbedded)('while a backup holds its locks', () => {
  test('the earlier release writes before, while and after this version migrates', async () => {
    const database_url = address.database_url as string
    const [release, backup, watch] = [
      connectRaw(database_url),
      connectRaw(database_url),
      connectRaw(database_url),
    ]
    const tallied = await watch`select counted, sum(count)::int as count from tallies group by counted`
    const live = Object.fromEntries(tallied.map(({ counted, count }) => [counted, count]))
    let rounds = 0
    const write = async () => {
      await release.unsafe(transactionOfRelease(live as { act: number; ntb: number }))
      rounds += 1
    }
    const applied = async () =>
      (await watch`select count(*)::int as count from drizzle.__drizzle_migrations`)[0]?.count

    await write()
    let migration: Promise<Database> | undefined
    await backup.begin(async (tx) => {
      // pg_dump holds this lock while it runs.
      await tx`lock table activities in access share mode`
      migration = openDatabase({ ...address, database_url })
      const waiting = () =>
        watch`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike 'alter table%'`
      await expect.poll(async () => (await waiting()).length, WAIT_OPTIONS).toBe(1)
      // This would wait for the migration, which waits for the backup, if the migration did not time out.
      for (let time = 0; time < 10; time += 1) await write()
      expect(await applied()).toBe(APPLIED)
    })
    let isMigrated = false
    const migrated = migration?.then((database) => {
      isMigrated = true
      return database
    })
    while (!isMigrated) await write()
    await write()

    const database = (await migrated) as Database
    const db = database.connection()
    const problems = []
    const checked = { repositories: 0, rows: 0 }
    for await (const problem of checkIntegrity(db, () => new Date(0), { checked, repair: false }))
      problems.push(problem)
    expect(problems).toEqual([])
    const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(sql`activities`)
    expect(row?.count).toBe(10 * (1 + rounds))
    await Promise.all([database.close(), release.end(), backup.end(), watch.end()])
  })
})
