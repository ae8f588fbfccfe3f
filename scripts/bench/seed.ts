/** Fills repositories with activities through the API. */
import postgres from 'postgres'
import type { ServiceProcess } from '../../test/support/process.ts'
import { load } from './load.ts'
import { workOf } from './work.ts'

export interface SeedRepository {
  id: number
  owner: string
  name: string
}

/** Creates `count` activities in a repository. Another user than the one who is measured creates them. */
export async function seed(service: ServiceProcess, { owner, name }: SeedRepository, count: number) {
  const path = `/api/v1/repos/${owner}/${name}/activity`
  const requests = Array.from({ length: count }, (_, n) => ({ path, body: workOf(n) }))
  const ms = Number.POSITIVE_INFINITY
  await load(service, { requests, clients: 8, status: 201, ms, count, token: 'ben' })
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
