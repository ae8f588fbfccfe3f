/** The tables can be distributed by the repository's id: every key begins with it, and every statement includes it (docs/operations.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACROSS_REPOSITORIES, type AllStatements, collectStatements } from '../support/all-statements.ts'
import { connectRaw } from '../support/postgres.ts'
import { partsWithoutRepository } from '../support/statements.ts'

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
    const lacking = seen.filter((statement) => partsWithoutRepository(statement, tables).length > 0)
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

describe('the checker finds a statement without its repository', () => {
  test.each([
    ['select id from activities', true],
    ['select id from activities where id = $1', true],
    ['select id from activities where repo_id = $1', false],
    [
      'select "id" from "activities" where ("activities"."repo_id" = $1 and ("x" = $2 or "y" = $3)) limit $4',
      false,
    ],
    ['select id from activities where repo_id = $1 or id = $2', true],
    ['select id from activities where (repo_id = $1 and x) or (repo_id = $1 and y)', false],
    ['select id from activities where repo_id > $1', true],
    ['select id from activities order by repo_id = $1', true],
    ["select 'where repo_id = $1' from activities", true],
    [
      'update activities set x = $1 where repo_id = $2 and id in (select id from activities where x = $3)',
      true,
    ],
    ['update activities set x = $1 where id in (select id from activities where repo_id = $3)', true],
    [
      'update activities set x = $1 where repo_id = $2 and id in (select id from activities where repo_id = $3 limit 5 for update)',
      false,
    ],
    ['insert into activities (id, title) values ($1, $2)', true],
    ['insert into activities (repo_id, id) values ($1, $2) on conflict (id) do nothing', true],
    [
      'insert into activities (repo_id, id) values ($1, $2) on conflict (repo_id, id) do update set x = 1',
      false,
    ],
    ['delete from jobs where id = $1', false],
  ])('%s: %s', (statement, lacks) => {
    expect(partsWithoutRepository(statement, ['activities']).length > 0).toBe(lacks)
  })
})
