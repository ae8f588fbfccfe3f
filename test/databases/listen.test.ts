/** Announcements between instances: they arrive again after the listening connection was lost. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce, type Database } from '../../src/server/platform/db/database.ts'
import { connectDatabase } from '../../src/server/platform/db/open.ts'
import { connectRaw } from '../support/postgres.ts'
import { useDatabase } from '../support/use-deployment.ts'

const isPostgres = process.env.TEST_DATABASE_KIND === 'postgres'

const fresh = useDatabase()
let database: Database

beforeAll(async () => {
  database = await connectDatabase(fresh)
})
afterAll(() => database.close())

/** What arrives on a channel; `!` for announcements that may have been missed. */
async function listenOn(channel: string): Promise<string[]> {
  const heard: string[] = []
  await database.listen(channel, { received: (text) => heard.push(text), missed: () => heard.push('!') })
  return heard
}

test.skipIf(!isPostgres)('of two channels arrive, and again when the connection was lost', async () => {
  const [one, two] = [await listenOn('one'), await listenOn('two')]
  await announce(database.connection(), 'one', 'a')
  await announce(database.connection(), 'two', 'b')
  await expect.poll(() => [one.at(-1), two.at(-1)]).toEqual(['a', 'b'])
  const other = connectRaw(fresh.database_url as string)
  await other`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await other.end()
  await expect.poll(() => [one.at(-1), two.at(-1)]).toEqual(['!', '!'])
  await announce(database.connection(), 'two', 'c')
  await expect.poll(() => two.at(-1)).toBe('c')
})
