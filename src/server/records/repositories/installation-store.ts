/** The state of installations: until when GitHub limits their calls, how fast they write and import (docs/contract/organisations.md#queue), and the settings file of their organisation (docs/contract/settings.md#an-organisation). */
import { desc, eq, inArray, isNotNull, notInArray, sql } from 'drizzle-orm'
import type { OrganisationFile } from '../../../engine/settings/layers.ts'
import { later } from '../../../vocabulary/clock.ts'
import type { Db } from '../../platform/db/database.ts'
import { installations, repositories } from './table.ts'

export type InstallationRow = typeof installations.$inferSelect

export async function findInstallationState(db: Db, id: number): Promise<InstallationRow | undefined> {
  const [row] = await db.select().from(installations).where(eq(installations.installation_id, id))
  return row
}

/** Stores changes of an installation that may be new. Locks its row until a transaction ends. */
export async function saveInstallation(
  db: Db,
  installation_id: number,
  changes: Partial<InstallationRow>,
): Promise<void> {
  await db
    .insert(installations)
    .values({ installation_id, ...changes })
    .onConflictDoUpdate({ target: installations.installation_id, set: changes })
}

/** Books calls of an installation at its pace. Instances book one after another. Returns when the calls can be made. */
export function bookCalls(
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
  const id = installations.installation_id
  const left = await db.select({ id }).from(installations).where(notInArray(id, held)).limit(limit)
  const ids = left.map((row) => row.id)
  if (ids.length > 0) await db.delete(installations).where(inArray(id, ids))
}

/** GitHub allows an App about 80 writes a minute and 500 an hour that create content. */
const PER_HOUR = 500
/** The time between two writes: 60 a minute. GitHub asks Apps for one second. */
const SPACING_MS = 1000
/** So many writes are made without further waiting. */
const BURST = 80
/** Then they are spread evenly: whatever the burst, any hour has at most `PER_HOUR`. */
const INTERVAL_MS = Math.ceil(3_600_000 / (PER_HOUR - BURST - 1))

export type WritePace = Pick<InstallationRow, 'next_write_at' | 'writes_until'> &
  Partial<Pick<InstallationRow, 'writes_paused_until'>>

/** When `count` writes can be made, and the pace after that. */
export function bookWrites(
  { writes_paused_until = null, ...pace }: WritePace,
  count: number,
  now: Date,
): WritePace & { at: Date } {
  const not_before = latest(now, writes_paused_until)
  const until = latest(not_before, pace.writes_until)
  const at = latest(latest(not_before, pace.next_write_at), later(until, (count - BURST) * INTERVAL_MS))
  return {
    at,
    next_write_at: later(at, count * SPACING_MS),
    writes_until: later(latest(until, at), count * INTERVAL_MS),
  }
}

/** GitHub allows 900 points in a minute, one for each read. Imports, with what others used, take at most two thirds: the burst and a minute of intervals. */
const IMPORT_BURST = 100
const IMPORT_INTERVAL_MS = 120

export type ImportPace = Pick<InstallationRow, 'imports_until'>

/** When an import can make the calls among `count` points, and the pace after that. */
export function bookImportCalls(
  { imports_until }: ImportPace,
  count: number,
  now: Date,
): ImportPace & { at: Date } {
  const until = later(latest(now, imports_until), count * IMPORT_INTERVAL_MS)
  return { at: latest(now, later(until, -IMPORT_BURST * IMPORT_INTERVAL_MS)), imports_until: until }
}

function latest(one: Date, other: Date | null): Date {
  return other && other > one ? other : one
}

/** The name of the repository whose settings file is that of its owner. */
export const ORGANISATION_REPOSITORY = '.github'

export function isOrganisationRepository(name: string): boolean {
  return name.toLowerCase() === ORGANISATION_REPOSITORY
}

/** What an App may do: GitHub accepts a comment on a pull request with either of the first two. */
interface Permissions {
  pull_requests?: string
  issues?: string
  checks?: string
}

/** Stores whether the App may only read in an installation, or that it comments from `now` on. What says nothing about pull requests is no proof of it. */
export async function storePermissions(
  db: Db,
  installation_id: number,
  { pull_requests, issues, checks }: Permissions,
  now: Date,
): Promise<void> {
  const is_read_only = pull_requests === 'read' && ![issues, checks].includes('write')
  const isThere = eq(repositories.installation_id, installation_id)
  if (!is_read_only && (await findInstallationState(db, installation_id))?.is_read_only)
    await db.update(repositories).set({ commenting_since: now }).where(isThere)
  await saveInstallation(db, installation_id, { is_read_only })
}

/** Makes the settings file of the `.github` repository of an installation that of its repositories, and returns what is stored. */
export async function storeOrganisation(tx: Db, installation_id: number): Promise<OrganisationFile> {
  // Locks the row first, so that the last of several writers has read the newest settings.
  await saveInstallation(tx, installation_id, { is_organisation_known: true })
  const [row] = await tx
    .select({ settings: repositories.settings, errors: repositories.settings_errors })
    .from(repositories)
    .where(
      sql`${repositories.installation_id} = ${installation_id} and lower(${repositories.name}) = ${ORGANISATION_REPOSITORY}`,
    )
    .orderBy(desc(repositories.created_at))
    .limit(1)
  const isUnread = row?.settings === null && row.errors.length > 0
  const organisation: OrganisationFile = isUnread ? 'invalid' : (row?.settings ?? null)
  await saveInstallation(tx, installation_id, { organisation })
  return organisation
}
