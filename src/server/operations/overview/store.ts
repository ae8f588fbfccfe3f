/** The statement of the overview. */
import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../../platform/db/database.ts'
import { isOpen, isStoredLive } from '../../records/activities/compared-store.ts'
import { activities } from '../../records/activities/table.ts'
import { notables } from '../../records/notables/table.ts'

/** At most this many records of a repository are counted, the newest. */
const COUNTED_MAX = 10_000

interface Person {
  name: string
  /** Whether the name is a GitHub login. */
  is_login: boolean
  live_activities: number
  /** The last push, as GitHub says, or the last change of declared work. */
  changed_at: string
  /** When a record was last written. */
  updated_at: string
}

/** What is counted of a repository. A list is null if it is empty. */
export interface Counts {
  repo_id: number
  /** Changes with the live records other than by a heartbeat, and with what the settings are made of. */
  version: string
  /** The people with live activities, those with the latest change first. */
  people: Person[] | null
  notables: { active: number; high: number; changed_at: string } | null
}

const LIMIT = sql.raw(String(COUNTED_MAX))

/** The counts of those of the repositories that have live records. Each part starts with the id of a repository. */
export async function readCounts(db: Db, ids: readonly number[], now: Date): Promise<Counts[]> {
  const at = sql`${now.toISOString()}::timestamptz`
  const newest = (table: PgTable) => sql`order by ${table}.repo_id desc, ${table}.id desc limit ${LIMIT}`
  const people = sql`(
    select repo_id, json_agg(json_build_object('name', name, 'is_login', is_login, 'live_activities', live_activities,
      'changed_at', changed_at, 'updated_at', updated_at) order by changed_at desc) as list
    from (
      select repo_id, min(name) as name, bool_or(is_login) as is_login, count(*)::int as live_activities,
        max(changed_at) as changed_at, max(updated_at) as updated_at
      from (
        select activities.repo_id, coalesce(created_by, actor) as name, created_by is not null or source <> 'api' as is_login,
          updated_at, coalesce(pushed_at, updated_at) as changed_at
        from activities left join pull_requests on pull_requests.repo_id = activities.repo_id and number = pr_number
        where activities.repo_id = repositories.repo_id and ${isOpen} and ${isStoredLive} and expires_at > ${at}
        ${newest(activities)}
      ) as live
      group by repo_id, lower(name)
    ) as by_person
    group by repo_id
  )`
  const active = sql`(
    select repo_id, json_build_object('active', count(*)::int, 'changed_at', max(updated_at),
      'high', (count(*) filter (where blocking or importance in ('high', 'critical')))::int) as list
    from (
      select repo_id, blocking, importance, updated_at from notables
      where notables.repo_id = repositories.repo_id and status = 'active' and expires_at > ${at}
      ${newest(notables)}
    ) as active
    group by repo_id
  )`
  const counted = sql`(
    select repositories.repo_id::float8 as repo_id, people.list as people, active.list as notables,
      concat_ws(' ', live_sets.version,
        md5(json_build_array(organisation, settings, labeler_areas, noise_attributes, uninstalled_at)::text)) as version
    from repositories
      left join live_sets on live_sets.repo_id = repositories.repo_id
      left join installations on installations.installation_id = repositories.installation_id
      left join lateral ${people} as people on true
      left join lateral ${active} as active on true
    where repositories.repo_id in (select value::bigint from json_array_elements_text(${JSON.stringify(ids)}::text::json))
      and (people.list is not null or active.list is not null)
  ) as counted`
  return db
    .select({
      repo_id: sql<number>`repo_id`,
      version: sql<string>`version`,
      people: sql<Counts['people']>`people`,
      notables: sql<Counts['notables']>`notables`,
    })
    .from(counted)
}
