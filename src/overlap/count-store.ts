/** The SQL that tells how many records an overlap check compared (contract §6, `checked_against`). */
import { type SQL, sql } from 'drizzle-orm'
import { LIVE_STATUSES } from '../activities/activity.ts'
import { activities } from '../activities/table.ts'
import { talliedOf } from '../claims/store.ts'
import type { Db } from '../db/connect.ts'
import { prepared } from '../db/prepared.ts'
import {
  type Decided,
  EXCLUDED,
  GONE,
  given,
  instant,
  OPEN_CLAIMS,
  probesAsGiven,
  type Search,
} from './search-store.ts'

export interface Counts {
  activities: number
  notables: number
}

const REPO = sql.placeholder('repo_id')
const IS_NOTABLE = sql.raw("id >= 'ntb'")

function goneOf(condition: SQL): SQL {
  return sql`(select count(*)::int from gone where ${condition})`
}

const LIVE_EXCLUDED = sql`(select count(*)::int from excluded cross join lateral (
  select id from ${activities} where repo_id = ${REPO}::bigint and id = excluded.id
    and status in (${sql.raw(LIVE_STATUSES.map((each) => `'${each}'`).join())})
    and expires_at > ${sql.placeholder('now')}::timestamptz order by repo_id, id limit 1) live)`

const runCount = prepared('overlap_count', (db) =>
  db.select({ activities: sql<number>`activities`, notables: sql<number>`notables` }).from(sql`(
    with gone as materialized (${GONE}), excluded as materialized (${EXCLUDED})
    select ${talliedOf(REPO, 'act')} - ${goneOf(sql`not ${IS_NOTABLE}`)} - ${LIVE_EXCLUDED} as activities,
      ${talliedOf(REPO, 'ntb')} - ${goneOf(IS_NOTABLE)} as notables) as counts`),
)

/** How many live activities, those of `self` left out, and applying notables there are. */
export async function countLive(
  db: Db,
  repo_id: number,
  { now, self }: { now: Date; self: string[] },
): Promise<Counts> {
  const [counts] = await runCount(db, { ...instant(repo_id, now), excluded: JSON.stringify(self) })
  return counts as Counts
}

const runCountOpen = prepared('overlap_count_open', (db) =>
  db
    .select({
      activities: sql<number>`(count(*) filter (where not ${IS_NOTABLE}))::int`,
      notables: sql<number>`(count(*) filter (where ${IS_NOTABLE}))::int`,
    })
    .from(sql`(
      with gone as materialized (${GONE}), excluded as materialized (${EXCLUDED}),
      verdict as materialized (select * from ${given('decided', 'place text, kind smallint, glob text, record_id text, meets boolean')})
      select claim.record_id as id from (${OPEN_CLAIMS}) claim
      left join verdict on verdict.place = claim.place and verdict.kind = claim.kind and verdict.glob = claim.glob
        and coalesce(verdict.record_id, claim.record_id) = claim.record_id
      where claim.record_id not in (select id from excluded) and claim.record_id not in (select id from gone)
      group by claim.record_id
      having not bool_or(coalesce(claim.is_sure, verdict.meets, false))
        and bool_or(claim.is_sure is null and verdict.meets is null)) as open`),
)

/** How many records may overlap, but were not decided. `decided`: all that was, whether it meets or not. */
export async function countOpen(
  db: Db,
  repo_id: number,
  asked: Omit<Search, 'decided'> & { decided: (Omit<Decided, 'by_path'> & { meets: boolean })[] },
): Promise<Counts> {
  const { now, probes, ignored, excluded, decided } = asked
  const [counts] = await runCountOpen(db, {
    ...instant(repo_id, now),
    ...probesAsGiven(probes),
    ignored,
    excluded: JSON.stringify(excluded),
    decided: JSON.stringify(decided),
  })
  return counts as Counts
}
