/** The whole database as text, for tests of what must not be stored. */
import { sql } from 'drizzle-orm'
import type { TestService } from './service.ts'

/** Every row of every table. Binary columns are also shown as characters. */
export async function dumpDatabase({ app }: Pick<TestService, 'app'>): Promise<string> {
  const db = app.database.connection()
  const rowsOf = (answer: unknown) => (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows)
  const tables = rowsOf(
    await db.execute(sql`select tablename from pg_tables where schemaname = 'public'`),
  ) as { tablename: string }[]
  const texts = tables.map(async ({ tablename }) =>
    JSON.stringify(
      rowsOf(await db.execute(sql`select to_jsonb(each)::text from ${sql.identifier(tablename)} as each`)),
    ),
  )
  const all = (await Promise.all(texts)).join('\n')
  const binary = all.matchAll(/\\x([0-9a-f]+)/g)
  return [all, ...[...binary].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))].join('\n')
}
