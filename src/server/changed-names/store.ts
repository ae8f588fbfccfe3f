/** Queries of changed names. Every statement starts with the repository id. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { type ChangedName, NAME_KINDS, type NameKind } from './changed-names.ts'
import { changed_names } from './table.ts'

/** The maximum number of rows that are read for one name, those of the newest activities. */
const SAME_NAME_MAX = 50
/** The maximum number of rows of a lookup. */
const FOUND_MAX = 1_000

/** A name of an activity. */
export interface FoundName extends ChangedName {
  activity_id: string
}

/** Replaces the names of an activity in the transaction `tx`. */
export async function replaceChangedNames(
  tx: Db,
  { repo_id, activity_id }: { repo_id: number; activity_id: string },
  names: readonly ChangedName[],
): Promise<void> {
  await deleteChangedNames(tx, repo_id, [activity_id])
  if (names.length === 0) return
  const rows = names.map(({ kind, key, position }) => [NAME_KINDS.indexOf(kind), key, position])
  await tx.execute(sql`insert into changed_names (repo_id, activity_id, kind, key, position)
    select ${repo_id}::bigint, ${activity_id}::text, (name->>0)::smallint, (name->>1)::int, (name->>2)::int
    from json_array_elements(${JSON.stringify(rows)}::text::json) as given(name)`)
}

/** Deletes the names of the activities `ids`. */
export async function deleteChangedNames(tx: Db, repo_id: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { repo_id: of, activity_id } = changed_names
  await tx.delete(changed_names).where(and(eq(of, repo_id), inArray(activity_id, [...ids])))
}

/** The names of the activities `ids`. */
export async function listChangedNames(
  db: Db,
  repo_id: number,
  ids: readonly string[],
): Promise<FoundName[]> {
  const { repo_id: of, activity_id, kind, key, position } = changed_names
  const rows = await db
    .select({ activity_id, kind, key, position })
    .from(changed_names)
    .where(and(eq(of, repo_id), inArray(activity_id, [...ids])))
  return rows.map(named)
}

const readUsing = prepared('changed_names_used', (db) => lookup(db, 'used'))
const readTaking = prepared('changed_names_taken', (db) => lookup(db, 'taken'))

function lookup(db: Db, role: 'used' | 'taken') {
  const { repo_id, activity_id, kind, key, position } = changed_names
  const found = db
    .select({ activity_id, kind, key, position })
    .from(changed_names)
    .where(
      and(
        eq(repo_id, sql.placeholder('repo_id')),
        sql`${key} = wanted.wanted_key::int`,
        role === 'used' ? sql`${kind} = 0` : sql`${kind} > 0`,
      ),
    )
    .limit(SAME_NAME_MAX)
    .as('found')
  return db
    .select({
      activity_id: found.activity_id,
      kind: found.kind,
      key: found.key,
      position: found.position,
    })
    .from(sql`json_array_elements_text(${sql.placeholder('keys')}::text::json) as wanted(wanted_key)`)
    .crossJoinLateral(found)
    .orderBy(asc(found.activity_id))
    .limit(FOUND_MAX)
}

/** The names of all activities with these keys: those that use them, or those that take them away. */
export async function listNamesWith(
  db: Db,
  repo_id: number,
  { role, keys }: { role: 'used' | 'taken'; keys: readonly number[] },
): Promise<FoundName[]> {
  if (keys.length === 0) return []
  const read = role === 'used' ? readUsing : readTaking
  return (await read(db, { repo_id, keys: JSON.stringify(keys) })).map(named)
}

function named<Row extends { kind: number }>(row: Row): Omit<Row, 'kind'> & { kind: NameKind } {
  return { ...row, kind: NAME_KINDS[row.kind] as NameKind }
}
