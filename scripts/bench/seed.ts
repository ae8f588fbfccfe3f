/** Fills a database: creates activities with the service's own code, and copies them to further repositories with SQL. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { createActivity } from '../../src/server/records/activities/activities.ts'
import { LiveSets } from '../../src/server/records/live-sets/live-sets.ts'
import { noCaller, type RepoContext } from '../../src/server/records/repositories/repo.ts'
import { insertRepository } from '../../src/server/records/repositories/store.ts'
import type { CreateActivity } from '../../src/vocabulary/contract/activity.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { SHARD } from './work.ts'

export interface SeedRepository {
  id: number
  owner: string
  name: string
}

/** Records per transaction. */
const BATCH = 250

/** Creates `count` activities in a repository; `work` returns the `n`th of them. */
export async function seed(
  url: string,
  repository: SeedRepository,
  { count, work }: { count: number; work: (n: number) => CreateActivity },
): Promise<void> {
  const client = postgres(url, { max: 1, fetch_types: false })
  const db = drizzle({ client })
  const now = new Date()
  await insertRepository(db, repository, now)
  for (let from = 0; from < count; from += BATCH) {
    await db.transaction(async (tx) => {
      const ctx = contextOf(tx, repository, now)
      for (let n = from; n < Math.min(count, from + BATCH); n += 1) await createActivity(ctx, work(n))
    })
  }
  await client`vacuum analyze`
  await client.end()
}

function contextOf(db: RepoContext['db'], { id, owner, name }: SeedRepository, now: Date): RepoContext {
  return {
    db,
    now,
    repo: {
      id,
      owner,
      name,
      web_urls: [`https://github.com/${owner}/${name}`],
      ...{ installation_id: null, farewell_at: null },
      is_known: true,
      is_installed: false,
      is_watched: false,
      is_tracked: false,
      commenting_since: now,
      is_notified: false,
      settings_file: { source: 'defaults', errors: [] },
      settings_layers: [],
      noise_attributes: [],
      max_live: { activities: Number.POSITIVE_INFINITY, notables: Number.POSITIVE_INFINITY },
      wakeWorker: () => {},
    },
    settings: DEFAULT_SETTINGS,
    live_sets: new LiveSets(),
    caller: noCaller(),
  }
}

/**
 * Copies `count` activities of a repository to each of others. When there are fewer, they are copied several
 * times, each time with a different shard in their texts.
 */
export async function copy(
  url: string,
  from: SeedRepository,
  copies: readonly { to: SeedRepository; count: number }[],
): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  const tables = await tablesOfActivities(sql)
  for (const { to, count } of copies) {
    await insertRepository(drizzle({ client: sql }), to, new Date())
    await sql.begin(async (tx) => {
      await tx.unsafe(`create temporary table copied on commit drop as
        select id, shard, ${freshId('row_number() over (order by shard, id)')} as new_id
        from activities cross join generate_series(0, ${count - 1} / (select count(*) from activities where repo_id = ${from.id})) as shard
        where repo_id = ${from.id} order by shard, id limit ${count}`)
      await tx.unsafe('create index on copied (id)')
      await tx.unsafe('analyze copied')
      for (const { name, key, columns } of tables)
        await tx.unsafe(`insert into "${name}" (repo_id, "${key}", ${namesOf(columns)})
          select ${to.id}, copied.new_id, ${columns.map(ofShard).join(', ')}
          from copied join "${name}" as original on original.repo_id = ${from.id} and original."${key}" = copied.id`)
      await tx.unsafe(`insert into live_sets (repo_id, activities) values (${to.id}, ${count})`)
    })
  }
  await sql`vacuum analyze`
  await sql`checkpoint`
  await sql.end()
}

/** A script of pgbench that writes the rows of an activity of the repository once more, under a new id. */
export async function createScript(url: string, { id }: SeedRepository): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const tables = await tablesOfActivities(sql)
  const [first] = await sql<{ id: string }[]>`select id from activities where repo_id = ${id} limit 1`
  await sql.end()
  const inserts = tables.map(
    ({ name, key, columns }) => `insert into "${name}" (repo_id, "${key}", ${namesOf(columns)})
      select ${id}, ${freshId(':base::bigint + :client_id * 1000000 + :n::bigint')}, ${namesOf(columns)}
      from "${name}" where repo_id = ${id} and "${key}" = '${first?.id}';`,
  )
  const lines = ['begin;', ...inserts, 'commit;'].map((line) => line.replaceAll(/\s+/g, ' '))
  return ['\\set n :n + 1', ...lines, ''].join('\n')
}

const freshId = (n: string) => `'act_' || lpad((${n})::text, 26, '0')`

interface Column {
  name: string
  type: string
}

/** The table of activities with its columns, without keys and generated columns. */
function tablesOfActivities(sql: postgres.Sql): Promise<{ name: string; key: string; columns: Column[] }[]> {
  return sql`
    select table_name as name,
      'id' as key,
      json_agg(json_build_object('name', column_name, 'type', udt_name)) filter (where is_generated = 'NEVER'
        and column_name not in ('repo_id', 'id')) as columns
    from information_schema.columns
    where table_schema = 'public' and table_name = 'activities'
    group by table_name order by table_name`
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}

function ofShard({ name, type }: Column): string {
  if (!['text', 'jsonb', 'json', '_text'].includes(type)) return `original."${name}"`
  return `replace(original."${name}"::text, '${SHARD}', 's' || shard || '-')::${type}`
}
