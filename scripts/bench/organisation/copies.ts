/** Copies the imported template to all other repositories of the organisation, in SQL: importing them takes hours of GitHub's limit. */
import postgres from 'postgres'
import { FIRST_ID, nameOf, TEMPLATE } from './repositories.ts'

/** Not copied: work to do, and what the next reconciliation reads anew. */
const LEFT_OUT = ['jobs', 'etags']
const BATCH = 500

export async function copyTemplate(url: string, repositories: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const tables = await tablesOfRepositories(sql)
  // The first reconciliation is due at once.
  await sql`update repositories set reconciled_at = null`
  await sql`update jobs set run_at = now() where id = 'reconcile_all'`
  for (let first = 1; first < repositories; first += BATCH) {
    const last = Math.min(first + BATCH, repositories) - 1
    await sql.begin(async (tx) => {
      for (const { name, columns } of tables) {
        const names = columns.map(({ column }) => `"${column}"`).join(', ')
        const values = columns.map(copyOf).join(', ')
        await tx.unsafe(`insert into "${name}" (repo_id, ${names})
          select ${FIRST_ID} + n, ${values}
          from "${name}" as original cross join generate_series(${first}, ${last}) as n
          where original.repo_id = ${FIRST_ID}`)
      }
    })
  }
  await sql`vacuum analyze`
  await sql.end()
}

interface Table {
  name: string
  columns: { column: string; type: string }[]
}

/** Those that belong to repositories, with their columns, without `repo_id` and generated ones. */
function tablesOfRepositories(sql: postgres.Sql): Promise<Table[]> {
  return sql<Table[]>`
    select table_name as name, json_agg(json_build_object('column', column_name, 'type', udt_name))
        filter (where column_name <> 'repo_id' and is_generated = 'NEVER') as columns
    from information_schema.columns
    where table_schema = 'public' and not table_name = any(${LEFT_OUT})
    group by table_name
    having bool_or(column_name = 'repo_id')`
}

/** A column of the original, with the name of the copy. */
function copyOf({ column, type }: Table['columns'][number]): string {
  if (!['text', 'json', 'jsonb', '_text'].includes(type)) return `original."${column}"`
  const name = `'${nameOf(0).slice(0, 1)}' || lpad(n::text, ${TEMPLATE.length - 1}, '0')`
  return `replace(original."${column}"::text, '${TEMPLATE}', ${name})::${type}`
}
