/** Fills a database: creates activities with the service's own code, and copies them to further repositories with SQL. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { createActivity } from '../../src/server/activities/activities.ts'
import { noCaller, type RepoContext } from '../../src/server/repositories/repo.ts'
import { insertRepository } from '../../src/server/repositories/store.ts'
import type { CreateActivity } from '../../src/vocabulary/contract/activity.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { SHARD } from './work.ts'

export interface SeedRepository {
  id: number
  owner: string
  name: string
}

/** Parallel connections, and records per transaction. */
const CONNECTIONS = 4
const BATCH = 250

/** The SQL expression for the id of the `n`th record of a copy, which makes ids predictable. */
export const numberedId = (n: string) => `'act_' || lpad((${n})::text, 26, '0')`
export const idOf = (n: number) => `act_${String(n).padStart(26, '0')}`

/** Creates `count` activities in a repository; `work` returns the `n`th of them. */
export async function seed(
  url: string,
  repository: SeedRepository,
  { count, work }: { count: number; work: (n: number) => CreateActivity },
): Promise<void> {
  const clients = Array.from({ length: CONNECTIONS }, () => postgres(url, { max: 1, fetch_types: false }))
  const now = new Date()
  try {
    let next = 0
    const fillBatches = async (client: postgres.Sql) => {
      const db = drizzle({ client })
      await insertRepository(db, repository, now)
      while (next < count) {
        const from = next
        next += BATCH
        await db.transaction(async (tx) => {
          const ctx = contextOf(tx, repository, now)
          for (let n = from; n < Math.min(count, from + BATCH); n++) await createActivity(ctx, work(n))
        })
      }
    }
    await Promise.all(clients.map(fillBatches))
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
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
      installation_id: null,
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
      unconfirmed_version: null,
      announce: () => {},
    },
    settings: DEFAULT_SETTINGS,
    caller: noCaller(),
  }
}

/**
 * Copies `total` activities of a repository with their claims into repositories of `each` activities, with consecutive
 * ids from `first`. The activities of each have the ids `idOf(1)` and so on. When `total` is larger than the source, they
 * are copied several times, each time with a different shard in their texts.
 */
export async function copy(
  sql: postgres.Sql,
  from: number,
  to: { first: number; total: number; each: number },
): Promise<void> {
  const { first, total, each } = to
  const tables = await tablesOfActivities(sql)
  await sql.begin(async (tx) => {
    await tx.unsafe(`create temporary table copied on commit drop as
      with numbered as (
        select id, row_number() over (order by id) as place, count(*) over () as size
        from activities where repo_id = ${from}
      ), sharded as (
        select id, shard, shard * size + place - 1 as n
        from numbered cross join generate_series(0, ${total} / size) as shard
      )
      select id, shard, n / ${each} + ${first} as repo_id, ${numberedId(`n % ${each} + 1`)} as new_id
      from sharded where n < ${total}`)
    await tx.unsafe('create index on copied (id)')
    await tx.unsafe('analyze copied')
    for (const { name, key, columns } of tables) {
      await tx.unsafe(`insert into "${name}" (repo_id, "${key}", ${columns.map(quoted).join(', ')})
        select copied.repo_id, copied.new_id, ${columns.map(ofShard).join(', ')}
        from copied join "${name}" as original on original.repo_id = ${from} and original."${key}" = copied.id
        order by copied.repo_id, copied.new_id`)
    }
    await tx.unsafe(`insert into tallies (repo_id, counted, shard, count)
      select repo_id, 'act', 0, count(*) from copied group by repo_id`)
  })
}

interface Column {
  name: string
  type: string
}

/** The tables of activities and claims with their columns, without keys and generated columns. */
function tablesOfActivities(sql: postgres.Sql): Promise<{ name: string; key: string; columns: Column[] }[]> {
  return sql`
    select table_name as name,
      max(column_name) filter (where column_name in ('id', 'record_id')) as key,
      json_agg(json_build_object('name', column_name, 'type', udt_name)) filter (where is_generated = 'NEVER'
        and column_name not in ('repo_id', 'id', 'record_id')) as columns
    from information_schema.columns
    where table_schema = 'public'
    group by table_name
    having bool_or(column_name = 'repo_id')
      and table_name in ('activities', 'claims')`
}

function quoted({ name }: Column): string {
  return `"${name}"`
}

function ofShard({ name, type }: Column): string {
  if (!['text', 'jsonb', 'json', '_text'].includes(type)) return `original."${name}"`
  return `replace(original."${name}"::text, '${SHARD}', 's' || shard || '-')::${type}`
}
