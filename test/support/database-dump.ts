/** The whole database as text, for tests of what must not be stored. */
import { sql } from 'drizzle-orm'
import { rowsOf } from './database.ts'
import type { TestService } from './service.ts'

/** Every row of every table. Binary columns are also shown as characters. */
export async function dumpDatabase({ app }: Pick<TestService, 'app'>): Promise<string> {
  const db = app.database.connection()
  const tables = rowsOf(await db.execute(sql`select tablename from pg_tables where schemaname = 'public'`))
  const texts = tables.map(async ({ tablename }) => {
    const table = sql.identifier(String(tablename))
    return JSON.stringify(rowsOf(await db.execute(sql`select to_jsonb(each)::text from ${table} as each`)))
  })
  const all = (await Promise.all(texts)).join('\n')
  const binary = all.matchAll(/\\x([0-9a-f]+)/g)
  return [all, ...[...binary].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))].join('\n')
}
