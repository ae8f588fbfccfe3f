/** The tables can be distributed by the repository's id: every key begins with it, and every statement includes it (docs/operations.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACROSS_REPOSITORIES, type AllStatements, collectStatements } from '../support/all-statements.ts'
import { connectRaw } from '../support/postgres.ts'

/** Whether a statement names more tables of repositories than it has conditions and columns for the repository. How Citus plans it proves more (test/citus). */
function lacksRepository(statement: string, tables: string[]): boolean {
  const named = statement.matchAll(/\b(?:from|join|into|update) (\w+)\b(?!\.)/g)
  const own = [...named].filter(([, table]) => tables.includes(table as string))
  const bound = statement.match(/\brepo_id = |\binsert into \w+ \([^)]*\brepo_id\b/g) ?? []
  return own.length > bound.length
}

describe.skipIf(process.env.TEST_DATABASE_KIND === 'embedded')('every statement', () => {
  let all: AllStatements
  let seen: string[]
  let tables: string[]

  beforeAll(async () => {
    all = await collectStatements()
    seen = [...all.statements.keys()]
    tables = all.tables
  })
  afterAll(() => all.close())

  test('on a repository table is restricted to one repository, except for documented ones', () => {
    const lacking = seen.filter((statement) => lacksRepository(statement, tables))
    const unexplained = lacking.filter(
      (statement) => !ACROSS_REPOSITORIES.some(([, shape]) => shape.test(statement)),
    )
    expect(unexplained).toEqual([])
  })

  test('was executed on every table in every kind', () => {
    for (const table of tables)
      for (const kind of [`delete from ${table} `, `from ${table} where `])
        expect(
          seen.some((statement) => statement.includes(kind)),
          kind,
        ).toBe(true)
    expect(seen.length).toBeGreaterThan(60)
  })

  test('that is an exception is still executed', () => {
    const unused = ACROSS_REPOSITORIES.filter(([, shape]) => !seen.some((statement) => shape.test(statement)))
    expect(unused.map(([reason]) => reason)).toEqual([])
  })

  test('can use keys and indexes that begin with the repository', async () => {
    const sql = connectRaw(all.service.app.config.database_url as string)
    const rows = await sql`select c.relname as table, i.indexrelid::regclass::text as index,
        pg_get_indexdef(i.indexrelid, 1, true) as first
      from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace`
    await sql.end()
    const own = rows.filter(({ table }) => tables.includes(table))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter(({ first }) => first !== 'repo_id')).toEqual([])
    expect(tables.filter((table) => !own.some((row) => row.table === table))).toEqual([])
  })
})
