/** Queries for the state of installations: until when GitHub limits their calls, and the pace of their writes and imports. */
import { eq, inArray, isNotNull, notInArray } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { installations, organisations, repositories } from './table.ts'
import { bookImportCalls, bookWrites } from './write-pace.ts'

export type InstallationRow = typeof installations.$inferSelect

export async function findInstallationState(db: Db, id: number): Promise<InstallationRow | undefined> {
  const [row] = await db.select().from(installations).where(eq(installations.installation_id, id))
  return row
}

/** Which calls wait for the end of a rate limit. */
export type Pause = Partial<Pick<InstallationRow, 'reads_paused_until' | 'writes_paused_until'>>

export async function pauseInstallation(db: Db, installation_id: number, pause: Pause): Promise<void> {
  await db
    .insert(installations)
    .values({ installation_id, ...pause })
    .onConflictDoUpdate({ target: installations.installation_id, set: pause })
}

/** Books `count` writes of an installation. Returns when they can be made. */
export function bookInstallationWrites(db: Db, id: number, { count, now }: Booking): Promise<Date> {
  return book(db, id, (row) => {
    const paused = row.writes_paused_until
    return bookWrites(row, count, paused && paused > now ? paused : now)
  })
}

/** Books `count` calls of an import. Returns when they can be made. */
export function bookInstallationImport(db: Db, id: number, { count, now }: Booking): Promise<Date> {
  return book(db, id, (row) => bookImportCalls(row, count, now))
}

interface Booking {
  count: number
  now: Date
}

/** Instances book one after another. */
function book(
  db: Db,
  installation_id: number,
  placeIn: (row: InstallationRow) => Partial<InstallationRow> & { at: Date },
): Promise<Date> {
  return db.transaction(async (tx) => {
    const isThis = eq(installations.installation_id, installation_id)
    await tx.insert(installations).values({ installation_id }).onConflictDoNothing()
    const [row] = await tx.select().from(installations).where(isThis).for('update')
    if (!row) throw new Error('the installation was deleted')
    const { at, ...pace } = placeIn(row)
    await tx.update(installations).set(pace).where(isThis)
    return at
  })
}

/** Deletes what is stored of up to `limit` installations that have no repository any more. */
export async function deleteLeftInstallations(db: Db, limit: number): Promise<void> {
  const { installation_id } = repositories
  const held = db.select({ installation_id }).from(repositories).where(isNotNull(installation_id))
  for (const table of [installations, organisations]) {
    const id = table.installation_id
    const left = await db.select({ id }).from(table).where(notInArray(id, held)).limit(limit)
    const ids = left.map((row) => row.id)
    if (ids.length > 0) await db.delete(table).where(inArray(id, ids))
  }
}
