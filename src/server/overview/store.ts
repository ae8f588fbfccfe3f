/** The queries of the overview. Every statement starts with the repository id. */
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { isLiveAt } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'
import type { Db } from '../db/database.ts'
import { type NotableRow, notables } from '../notables/table.ts'
import { repositories } from '../repositories/table.ts'

/** At most this many records of a repository are counted, the newest. */
const COUNTED_MAX = 10_000

/** Those of `ids` that are stored. */
export async function listStored(db: Db, ids: number[]): Promise<number[]> {
  const rows = await db
    .select({ repo_id: repositories.repo_id })
    .from(repositories)
    .where(
      sql`${repositories.repo_id} in (select value::bigint from json_array_elements_text(${JSON.stringify(ids)}::text::json))`,
    )
  return rows.map(({ repo_id }) => repo_id)
}

export interface Person {
  name: string
  /** Whether the name is a GitHub login. */
  is_login: boolean
  live_activities: number
  changed_at: Date
}

/** The people with live activities, those with the latest change first. */
export async function listPeople(db: Db, repo_id: number, now: Date): Promise<Person[]> {
  const live = db
    .select({
      name: sql<string>`coalesce(${activities.created_by}, ${activities.actor})`.as('name'),
      is_login: sql<boolean>`${activities.created_by} is not null or ${activities.source} <> 'api'`.as(
        'is_login',
      ),
      updated_at: activities.updated_at,
    })
    .from(activities)
    .where(isLiveAt(repo_id, now))
    .orderBy(desc(activities.repo_id), desc(activities.id))
    .limit(COUNTED_MAX)
    .as('live')
  const changed_at = sql<Date>`max(${live.updated_at})`.mapWith(activities.updated_at)
  return db
    .select({
      name: sql<string>`min(${live.name})`,
      is_login: sql<boolean>`bool_or(${live.is_login})`,
      live_activities: sql<number>`count(*)::int`,
      changed_at,
    })
    .from(live)
    .groupBy(sql`lower(${live.name})`)
    .orderBy(desc(changed_at))
}

/** The columns of the active notables that the overview uses, newest first. */
export function listActiveNotables(
  db: Db,
  repo_id: number,
  now: Date,
): Promise<Pick<NotableRow, 'importance' | 'blocking' | 'updated_at'>[]> {
  const { importance, blocking, updated_at } = notables
  return db
    .select({ importance, blocking, updated_at })
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), sql`status = 'active'`, gt(notables.expires_at, now)))
    .orderBy(desc(notables.repo_id), desc(notables.id))
    .limit(COUNTED_MAX)
}

/** How many activities were created after `since`, keyed by the age in whole days: 0 is the last 24 hours. */
export async function countCreated(
  db: Db,
  repo_id: number,
  { since, now }: { since: Date; now: Date },
): Promise<Map<number, number>> {
  const created = db
    .select({ created_at: activities.created_at })
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), gt(activities.created_at, since)))
    .orderBy(desc(activities.repo_id), desc(activities.id))
    .limit(COUNTED_MAX)
    .as('created')
  const age = sql`extract(epoch from ${now.toISOString()}::timestamptz - ${created.created_at})`
  const day = sql<number>`greatest(0, floor(${age} / 86400))::int`
  const rows = await db
    .select({ day: day.as('day'), activities: sql<number>`count(*)::int` })
    .from(created)
    .groupBy(sql`day`)
  return new Map(rows.map((row) => [row.day, row.activities]))
}
