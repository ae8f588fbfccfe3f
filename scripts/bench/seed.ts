/** Fills a database with activities by the service's own code. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { createActivity } from '../../src/server/records/activities/activities.ts'
import { LiveSets } from '../../src/server/records/live-sets/store.ts'
import { noCaller, type RepoContext } from '../../src/server/records/repositories/repo.ts'
import { findRepository, insertRepository } from '../../src/server/records/repositories/store.ts'
import type { CreateActivity } from '../../src/vocabulary/contract/activity.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'

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
  const stored = await findRepository(db, repository.id)
  const line_key = stored?.line_key as Uint8Array
  for (let from = 0; from < count; from += BATCH) {
    await db.transaction(async (tx) => {
      const ctx = contextOf(tx, { ...repository, line_key }, now)
      for (let n = from; n < Math.min(count, from + BATCH); n += 1) await createActivity(ctx, work(n))
    })
  }
  await client`vacuum analyze`
  await client`checkpoint`
  await client.end()
}

function contextOf(
  db: RepoContext['db'],
  { id, owner, name, line_key }: SeedRepository & { line_key: Uint8Array },
  now: Date,
): RepoContext {
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
      is_watched: false,
      is_tracked: false,
      commenting_since: now,
      is_notified: false,
      settings_file: { source: 'defaults', errors: [] },
      settings_layers: [],
      noise_attributes: [],
      line_key,
      max_live: { activities: Number.POSITIVE_INFINITY, notables: Number.POSITIVE_INFINITY },
      wakeWorker: () => {},
    },
    settings: DEFAULT_SETTINGS,
    ...{ live_sets: new LiveSets(), comparisons: undefined as never },
    caller: noCaller(),
  }
}

/** A script of pgbench that writes the row of an activity of the repository once more, under a new id. */
export async function createScript(url: string, { id }: SeedRepository): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const names = await columnsOfActivities(sql)
  const [first] = await sql<{ id: string }[]>`select id from activities where repo_id = ${id} limit 1`
  await sql.end()
  const insert = `insert into activities (repo_id, id, ${names})
    select ${id}, 'act_' || lpad((:base::bigint + :client_id * 1000000 + :n::bigint)::text, 26, '0'), ${names}
    from activities where repo_id = ${id} and id = '${first?.id}';`
  return ['\\set n :n + 1', 'begin;', insert.replaceAll(/\s+/g, ' '), 'commit;', ''].join('\n')
}

/** Without the key and generated columns. */
async function columnsOfActivities(sql: postgres.Sql): Promise<string> {
  const columns = await sql<{ name: string }[]>`
    select quote_ident(column_name) as name from information_schema.columns
    where table_schema = 'public' and table_name = 'activities' and is_generated = 'NEVER'
      and column_name not in ('repo_id', 'id')`
  return columns.map(({ name }) => name).join(', ')
}
