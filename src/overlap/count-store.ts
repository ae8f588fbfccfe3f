/** The SQL that tells how many records an overlap check could not decide (contract §6, `checked_against`). */
import { sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import { prepared } from '../db/prepared.ts'
import { GONE, given, idsGiven, OPEN_CLAIMS } from './probe-store.ts'
import { type Counts, type Decided, instant, probesAsGiven, type Search } from './search-store.ts'

const IS_NOTABLE = sql.raw("id >= 'ntb'")

const runCountOpen = prepared('overlap_count_open', (db) =>
  db
    .select({
      activities: sql<number>`(count(*) filter (where not ${IS_NOTABLE}))::int`,
      notables: sql<number>`(count(*) filter (where ${IS_NOTABLE}))::int`,
    })
    .from(sql`(
      with gone as materialized (${GONE}), excluded as materialized (${idsGiven('excluded')}),
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
  asked: Pick<Search, 'now' | 'probes' | 'ignored'> & {
    /** Ids of what is left out. */
    excluded: string[]
    decided: (Omit<Decided, 'by_path'> & { meets: boolean })[]
  },
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
