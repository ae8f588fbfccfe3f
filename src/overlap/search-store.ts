/** The SQL of an overlap check: which records claim what a proposal may touch (contract §6; decisions: the index). */
import { type SQL, sql } from 'drizzle-orm'
import { LIVE_STATUSES } from '../activities/activity.ts'
import { activities } from '../activities/table.ts'
import { type Kind, TRUNCATED } from '../claims/claim.ts'
import { liveCountOf } from '../claims/store.ts'
import type { Counted } from '../claims/table.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/connect.ts'
import { prepared } from '../db/prepared.ts'
import { type Expected, IDS_MAX } from './overlap.ts'
import {
  code,
  DECIDED,
  FOUND,
  GONE,
  given,
  IS_FIRST,
  idsGiven,
  KEYS_MAX,
  NOW,
  PATTERNS,
  REPO,
} from './probe-store.ts'
import type { Probes } from './probes.ts'
import { type OverlapKind, SEVERITIES, SEVERITY_BY_WEIGHT } from './severity.ts'
import { STACK } from './stack-store.ts'

/** A claim, or all alike, that SQL cannot decide. */
export interface Key {
  place: string
  kind: Kind
  glob: string
  /** The one record that a `TRUNCATED` claim stands for; else null. */
  record_id: string | null
  /** Whether the newest record with it is a notable. */
  is_notable: boolean
}

export interface Decided extends Omit<Key, 'is_notable'> {
  by_path: boolean
}

/** A record that overlaps. `rank`: 0 to 2, as severities are ordered. */
export interface Match {
  id: string
  rank: number
}

export interface Counts {
  activities: number
  notables: number
}

/** The gravest matches, then the newest, as many as are listed; and how many there are. */
export interface Matches {
  top: Match[]
  total: number
}

export interface SearchResult {
  activities: Matches
  notables: Matches
  /** The live activities that are left out as own or stacked. */
  expected: Expected
  /** How many live activities, those of `self` left out, and applying notables there are. */
  live: Counts
  /** What is still to be decided; those of the gravest and newest records first, and at most `KEYS_MAX`. */
  keys: Key[]
  /** False when there are more. */
  complete: boolean
}

export interface Search {
  now: Date
  /** The activities that are compared, where they exist; they are left out. */
  self: string[]
  /** Of the work, for what is its own and its stack. */
  branch: string | null
  base_branch: string | null
  probes: Probes
  /** Matches every place that the settings may ignore; null when nothing is ignored. */
  ignored: string | null
  /** What was found to meet; undefined to be told what is to be decided. */
  decided?: Decided[]
}

/** How many records are live: as many as are stored so, but for those that are gone, and `self`. */
const LIVE_SELF = sql`(select count(*)::int from self cross join lateral (
  select id from ${activities} where repo_id = ${REPO} and id = self.id
    and status in (${sql.raw(LIVE_STATUSES.map((each) => `'${each}'`).join())})
    and expires_at > ${NOW} order by repo_id, id limit 1) live)`
const LIVE_ACTIVITIES = sql`${liveCountOf(sql.placeholder('repo_id'), 'act')} - (select count(*)::int from gone where id < 'ntb') - ${LIVE_SELF}`
const LIVE_NOTABLES = sql`${liveCountOf(sql.placeholder('repo_id'), 'ntb')} - (select count(*)::int from gone where id >= 'ntb')`

const NOTABLE = sql.raw("'ntb'")

/** The rank by weight, from 0: arrays in SQL start at 1. */
const ranks = (kind: OverlapKind) =>
  sql.raw(`(array[${SEVERITY_BY_WEIGHT[kind].map((each) => SEVERITIES.indexOf(each)).join()}])[weight + 1]`)
/** The rank of a record: the index of its severity in `SEVERITIES`. */
const RANK = sql`max(case when record_id >= ${NOTABLE} then ${ranks('notable')}
  when by_path then ${ranks('path')} else ${ranks('area')} end)`

const COLUMNS = sql.raw('(part, record_id, rank, total, place, kind, glob, is_notable)')

function top(part: 'activity' | 'notable', condition: SQL): SQL {
  return sql`(select ${sql.raw(`'${part}'`)} as part, record_id, rank, (count(*) over ())::int as total, null, null::int, null, null::boolean
    from matches where ${condition} order by rank desc, record_id desc limit ${code(IDS_MAX)})`
}

const TOP = sql`${top('activity', sql`record_id < ${NOTABLE}`)} union all ${top('notable', sql`record_id >= ${NOTABLE}`)}`

/** The records that are `found` for sure, each once. */
const MATCHES = sql`matches as materialized (
    select record_id, ${RANK} as rank from found
    where is_sure and record_id not in (select id from excluded) and record_id not in (select id from gone)
    group by record_id)`

const ANSWER = sql`(
  with recursive gone as materialized (${GONE}),
  self as materialized (${idsGiven('self')}),
  ${STACK},
  excluded as materialized (select id from self union all select id from expected),
  points as materialized (select * from ${given('points', 'place text, first smallint, last smallint')}),
  patterns as (${PATTERNS}),
  found as materialized (${FOUND}),
  ${MATCHES}
  ${TOP}
  union all (
    select 'key', case when kind = ${code(TRUNCATED)} then record_id end, null, null, place, kind, glob,
      max(newest) >= ${NOTABLE} from found
    where is_sure is null and ${IS_FIRST} and record_id not in (select id from excluded)
    group by place, kind, glob, case when kind = ${code(TRUNCATED)} then record_id end
    order by max(weight) desc, max(newest) desc limit ${code(KEYS_MAX + 1)})
  union all select case when is_own then 'own' else 'stacked' end, id, null, null, null, null, null, null from expected
  union all select 'live', 'act', null, ${LIVE_ACTIVITIES}, null, null, null, null
  union all select 'live', 'ntb', null, ${LIVE_NOTABLES}, null, null, null, null
) as answer${COLUMNS}`

const runSearch = prepared('overlap_search', (db) =>
  db
    .select({
      part: sql<'activity' | 'notable' | 'key' | 'own' | 'stacked' | 'live'>`part`,
      record_id: sql<string | null>`record_id`,
      rank: sql<number>`rank`,
      total: sql<number>`total`,
      place: sql<string>`place`,
      kind: sql<Kind>`kind`,
      glob: sql<string>`glob`,
      is_notable: sql<boolean>`is_notable`,
    })
    .from(ANSWER),
)

type Row = Awaited<ReturnType<typeof runSearch>>[number]

/** Looks for the records that meet. With what was decided, the answer is whole; without, it also says what is to be decided. */
export async function search(db: Db, repo_id: number, asked: Search): Promise<SearchResult> {
  const { now, self, branch, base_branch, probes, ignored, decided } = asked
  const rows = await runSearch(db, {
    ...instant(repo_id, now),
    ignored,
    branch,
    base_branch,
    is_first: decided === undefined,
    ...probesAsGiven(probes),
    self: JSON.stringify(self),
    decided: JSON.stringify(decided ?? []),
  })
  const parts: Record<Row['part'], Row[]> = {
    activity: [],
    notable: [],
    key: [],
    own: [],
    stacked: [],
    live: [],
  }
  for (const row of rows) parts[row.part].push(row)
  const expected: Expected = new Map()
  for (const { record_id } of parts.stacked) expected.set(record_id as string, 'stacked')
  for (const { record_id } of parts.own) expected.set(record_id as string, 'own')
  for (const id of self) expected.delete(id)
  const liveOf = (counted: Counted) => parts.live.find((row) => row.record_id === counted)?.total ?? 0
  return {
    activities: matchesOf(parts.activity),
    notables: matchesOf(parts.notable),
    expected,
    live: { activities: liveOf('act'), notables: liveOf('ntb') },
    keys: parts.key.slice(0, KEYS_MAX),
    complete: parts.key.length <= KEYS_MAX,
  }
}

const runDecided = prepared('overlap_decided', (db) =>
  db
    .select({
      part: sql<'activity' | 'notable'>`part`,
      record_id: sql<string>`record_id`,
      rank: sql<number>`rank`,
      total: sql<number>`total`,
    })
    .from(sql`(
      with gone as materialized (${GONE}), excluded as materialized (${idsGiven('excluded')}),
      found as materialized (${DECIDED}),
      ${MATCHES}
      ${TOP}) as answer${COLUMNS}`),
)

/** The records that have what was found to meet; those of `excluded` left out. */
export async function searchDecided(
  db: Db,
  repo_id: number,
  { now, excluded, decided }: { now: Date; excluded: string[]; decided: Decided[] },
): Promise<Pick<SearchResult, 'activities' | 'notables'>> {
  const rows = await runDecided(db, {
    ...instant(repo_id, now),
    excluded: JSON.stringify(excluded),
    decided: JSON.stringify(decided),
  })
  return {
    activities: matchesOf(rows.filter(({ part }) => part === 'activity')),
    notables: matchesOf(rows.filter(({ part }) => part === 'notable')),
  }
}

function matchesOf(rows: Pick<Row, 'record_id' | 'rank' | 'total'>[]): Matches {
  const top = rows.map(({ record_id, rank }) => ({ id: record_id as string, rank }))
  return { top, total: rows[0]?.total ?? 0 }
}

export function probesAsGiven({ ranges, points, labels }: Probes) {
  return {
    ranges: JSON.stringify(ranges),
    points: JSON.stringify(points),
    labels: JSON.stringify(labels),
  }
}

export function instant(repo_id: number, now: Date) {
  return { repo_id, now: now.toISOString(), hour: hourAt(now) }
}
