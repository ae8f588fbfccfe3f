/** `deconflict-admin distribute` without a Citus cluster. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { connectRaw } from '../support/postgres.ts'
import { runAdmin } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('on PostgreSQL without Citus, distribute names what is missing and changes nothing', async () => {
  const url = database.database_url as string
  const { code, errors, lines } = await runAdmin({ DATABASE_URL: url }, 'distribute')
  expect(code).toBe(2)
  expect(lines).toEqual([])
  expect(errors).toEqual([
    expect.stringMatching(/^deconflict-admin: .*Citus is not installed.*create extension citus/),
  ])
  const sql = connectRaw(url)
  const settings = await sql`select from pg_db_role_setting where setdatabase in
    (select oid from pg_database where datname = current_database())`
  await sql.end()
  expect(settings).toHaveLength(0)
})

test('on the embedded database, distribute reports that it cannot be distributed', async () => {
  const data = await temporaryDirectory('data')
  const { code, errors } = await runAdmin({ DATA_DIR: data.path }, 'distribute')
  await data.remove()
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/^deconflict-admin: .*embedded.*DATABASE_URL/)])
})
