/** Brings a database to the schema of an earlier version. */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import { connectRaw } from './postgres.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** Applies the migrations up to `last`, as the version did whose last migration it was. */
export async function migrateTo(url: string, last: string): Promise<void> {
  const directory = await temporaryDirectory('migrations')
  await cp(fileURLToPath(new URL('../../drizzle', import.meta.url)), directory.path, { recursive: true })
  const path = join(directory.path, 'meta', '_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] }
  const entries = journal.entries.slice(0, 1 + journal.entries.findIndex(({ tag }) => tag === last))
  await writeFile(path, JSON.stringify({ ...journal, entries }))
  const sql = connectRaw(url)
  await migrate(drizzle({ client: sql }), { migrationsFolder: directory.path })
  await sql.end()
  await directory.remove()
}
