/**
 * The SQL of an overlap check. The search is one statement, because its parts have to see the same snapshot, and answers with
 * one row of named columns (`SearchRow`).
 */
import { type SQL, sql } from 'drizzle-orm'
import { LIVE_STATUSES } from '../../vocabulary/activity-status.ts'
import { type OverlapKind, SEVERITIES, SEVERITY_BY_WEIGHT } from '../../vocabulary/severity.ts'
import { COMPARED_JSON, type comparedFrom, MERGED_JSON, type mergedFrom } from '../activities/live-store.ts'
import { isOpen, isStoredLive } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'
import { AREA, FILE, ISSUE_MARK, type Kind, PATTERN, PLAIN, TRUNCATED } from '../claims-index/claim.ts'
import { liveCountOf } from '../claims-index/store.ts'
import { claims } from '../claims-index/table.ts'
import { prepared } from '../db/prepared.ts'
import { notables } from '../notables/table.ts'
import { REPOSITORY_VERSION } from '../repositories/store.ts'
import { repositories } from '../repositories/table.ts'
import { OTHER_BASE, STACK } from './stack-store.ts'

/** The maximum number of undecided keys of one check; a search returns one more if there are more. */
export const KEYS_MAX = 50_000

/** A record that overlaps. `rank`: the index of its severity in `SEVERITIES`. */
export interface Hit {
  id: string
  rank: number
}

/** A claim that SQL cannot decide. Equal claims of several records are one key, except `TRUNCATED` ones. */
export interface Key {
  place: string
  kind: Kind
  glob: string
  /** The record of a `TRUNCATED` claim; else null. */
  record_id: string | null
  /** Whether the newest record with this claim is a notable. */
  is_notable: boolean
}

/** The answer of a search. */
export interface SearchRow {
  /** The most severe first, then the newest, at most `limit` of the total. The first have their fields; see `Search.records`. */
  activities: (Hit & { record: Parameters<typeof comparedFrom>[0] | null })[]
  notables: Hit[]
  activities_total: number
  notables_total: number
  /** What remains to be decided, one more than `KEYS_MAX` if there are more. */
  keys: Key[]
  /** Own and stacked activities; one can be in the list twice. */
  expected: { id: string; is_own: boolean }[]
  /** The ids of activities that overlap but have another base branch, the newest first. */
  other_base: string[]
  /** The number of live activities except those that are checked, and of active notables that apply. */
  live_activities: number
  live_notables: number
  /** The number of live activities that do not overlap as far as is known, because GitHub cut the list of their files. */
  cut_activities: number
  /** The activities that were merged last, the newest first. */
  merged: Parameters<typeof mergedFrom>[0][]
  repository_version: string | null
}

/** A column with a list as JSON text. */
const list = <Items>(column: string) => sql<Items>`${sql.raw(column)}`.mapWith(JSON.parse)
const columns: { [Column in keyof SearchRow]: SQL<SearchRow[Column]> } = {
  activities: list('activities'),
  notables: list('notables'),
  activities_total: sql`activities_total`,
  notables_total: sql`notables_total`,
  keys: list('keys'),
  expected: list('expected'),
  other_base: list('other_base'),
  live_activities: sql`live_activities`,
  live_notables: sql`live_notables`,
  cut_activities: sql`cut_activities`,
  merged: list('merged'),
  repository_version: sql`repository_version`,
}

const parameter = (name: string, type: string) => sql`${sql.placeholder(name)}::${sql.raw(type)}`
/** The rows of a parameter that is a JSON array of objects. */
const rowsOf = (name: string, columns: string) =>
  sql`json_to_recordset(${parameter(name, 'text')}::json) as ${sql.raw(`${name} (${columns})`)}`
/** The elements of a parameter that is a JSON array of ids. */
const idsOf = (name: string) => sql`select json_array_elements_text(${parameter(name, 'text')}::json) as id`

const repo_id = parameter('repo_id', 'bigint')
const now = parameter('now', 'timestamptz')
const hour = parameter('hour', 'int')
const limit = parameter('limit', 'int')
/** Whether this is the first search of a check, which returns the keys to decide. */
const is_first = parameter('is_first', 'boolean')

const constant = (value: number | string) => sql.raw(typeof value === 'string' ? `'${value}'` : String(value))
const live_statuses = sql.raw(LIVE_STATUSES.map((each) => `'${each}'`).join())
/** Ids of activities begin with `act_`, so they sort before it; those of notables after it. */
const first_notable = constant('ntb')
/** More rows than any repository has. A limit makes the planner read the rows of each probe in the order of the index. */
const all = constant(10_000_000)

/** A plain path that the settings may ignore or call noise: the claim has to be decided. */
const may_be_ignored = sql`(claim.kind in (${constant(FILE)}, ${constant(PLAIN)})
  and coalesce(claim.place ~* ${parameter('ignored', 'text')}, false))`

/** The claims of the repository for each row of a probe, in the order of the index. */
const claimsWhere = (condition: SQL) => sql`lateral (
  select place, kind, glob, record_id, weight from ${claims} where repo_id = ${repo_id} and ${condition}
  order by repo_id, place, kind, glob, record_id, weight limit ${all}) claim`

/** The severity of a match by its weight, as an index of `SEVERITIES`. Arrays of SQL start at 1. */
const rankOf = (kind: OverlapKind) =>
  sql.raw(`(array[${SEVERITY_BY_WEIGHT[kind].map((each) => SEVERITIES.indexOf(each)).join()}])[weight + 1]`)

/** Records that are stored as live, but have expired or ceased to apply since the last sweep: `ended (id)`. */
const ENDED = sql`ended as materialized (
  select activity.id from unnest(array[${live_statuses}]) as live (status) cross join lateral (
    select id from ${activities} where repo_id = ${repo_id} and status = live.status
      and expires_hour <= ${hour} and expires_at <= ${now} order by repo_id, status, expires_hour limit ${all}) activity
  union all (
    select id from ${notables} where repo_id = ${repo_id} and status = 'active'
      and expires_hour <= ${hour} and expires_at <= ${now} order by repo_id, status, expires_hour limit ${all})
  union all (
    select id from ${notables} where repo_id = ${repo_id} and status = 'active'
      and applies_until <= ${now} and expires_at > ${now} order by repo_id, applies_until limit ${all}))`

/** The places to look up. Claims of the kinds from `first_sure` to `last_sure` overlap for sure: `points`. */
const POINTS = sql`points as materialized (
  select * from ${rowsOf('points', 'place text, first_sure smallint, last_sure smallint')})`

/**
 * The distinct patterns at the points, the last one first: `patterns (place, glob, newest, weight)`. Each step reads one row
 * of the index, because many records share few patterns.
 */
const patternAt = (place: SQL, condition: SQL) => sql`lateral (
  select glob, record_id as newest, weight from ${claims}
  where repo_id = ${repo_id} and place = ${place} and kind = ${constant(PATTERN)} and ${condition}
  order by repo_id desc, place desc, kind desc, glob desc, record_id desc, weight desc limit 1) pattern`
const PATTERNS = sql`patterns as (
  select points.place, pattern.* from points cross join ${patternAt(sql`points.place`, is_first)}
  union all
  select last.place, pattern.* from patterns last cross join ${patternAt(sql`last.place`, sql`glob < last.glob`)})`

/** The claims of the ranges, unless the truth table skips their kind at that place. */
const IN_RANGES = sql`
  select claim.*, true as by_path,
    claim.kind = any(case when claim.place = ranges.low then sure_at else sure_beneath end) and not ${may_be_ignored} as is_sure
  from ${rowsOf('ranges', 'low text, high text, sure_at int[], sure_beneath int[], skip_at int[], skip_beneath int[]')}
  cross join ${claimsWhere(sql`place >= ranges.low and place < ranges.high`)}
  where claim.kind <> all(case when claim.place = ranges.low then skip_at else skip_beneath end)`

/** The claims at the points, of the kinds that `kinds` selects. */
const atPoints = (kinds: SQL) => sql`
  select claim.*, true as by_path, claim.kind < ${constant(PATTERN)} and not ${may_be_ignored} as is_sure
  from points cross join ${claimsWhere(sql`place = points.place and ${kinds}`)}`
const SURE_KINDS = sql`kind between points.first_sure and points.last_sure`

const WITH_LABELS = sql`
  select claim.*, labels.by_path, true as is_sure from ${rowsOf('labels', 'place text, by_path boolean')}
  cross join ${claimsWhere(sql`place = labels.place and kind = ${constant(AREA)}`)}`

/** The claims with a key that was decided to overlap. */
const WITH_DECIDED_KEYS = sql`
  select claim.*, decided.by_path, true as is_sure
  from ${rowsOf('decided', 'place text, kind smallint, glob text, record_id text, by_path boolean')}
  cross join ${claimsWhere(sql`place = decided.place and kind = decided.kind and glob = decided.glob
    and (decided.record_id is null or record_id = decided.record_id)`)}`

/** The most severe matches, then the newest, as JSON. `fields`: further fields of the object. */
const topOf = (condition: SQL, fields: SQL = sql``) => sql`(
  select coalesce(json_agg(json_build_object('id', record_id, 'rank', rank ${fields}) order by position), '[]')::text
  from (select record_id, rank, row_number() over (order by rank desc, record_id desc) as position from matches
    where ${condition} order by position limit ${limit}) as top)`

const RECORD = sql`, 'record', case when position <= ${parameter('records', 'int')} then (
  select ${COMPARED_JSON} from ${activities} where repo_id = ${repo_id} and id = record_id order by repo_id, id limit 1) end`

/** The search of a check. */
export const runSearch = prepared('overlap_search', (db) =>
  db.select(columns).from(sql`(
      with recursive
      ${ENDED},
      -- The activities that are checked.
      self as materialized (${idsOf('self')}),
      -- Own and stacked activities: expected (id, is_own).
      ${STACK},
      excluded as materialized (select id from self union all select id from expected),
      ${OTHER_BASE},
      ${POINTS},
      ${PATTERNS},
      -- Every claim that overlaps for sure, or that has to be decided.
      found as materialized (
        ${IN_RANGES}
        union all ${atPoints(SURE_KINDS)}
        union all ${atPoints(sql`kind = ${constant(TRUNCATED)} and ${is_first}`)}
        union all ${WITH_LABELS}
        union all ${WITH_DECIDED_KEYS}),
      -- The records that overlap for sure, each once.
      matches as materialized (
        select record_id, max(case when record_id >= ${first_notable} then ${rankOf('notable')}
          when left(place, 1) = ${constant(ISSUE_MARK)} then ${constant(SEVERITIES.indexOf('high'))}
          when by_path then ${rankOf('path')} else ${rankOf('area')} end) as rank
        from found
        where is_sure and record_id not in (select id from excluded) and record_id not in (select id from ended)
          and record_id not in (select id from other_base)
        group by record_id),
      -- The keys to decide: those of the heaviest and newest records first.
      undecided as (
        select place, kind, glob, case when kind = ${constant(TRUNCATED)} then record_id end as record_id,
          record_id as newest, weight
        from found where not is_sure and ${is_first} and record_id not in (select id from excluded)
        union all
        (select place, ${constant(PATTERN)}, glob, null, newest, weight from patterns limit ${constant(KEYS_MAX + 1)})),
      keys as (
        select place, kind, glob, record_id, max(newest) >= ${first_notable} as is_notable,
          row_number() over (order by max(weight) desc, max(newest) desc) as position
        from undecided group by place, kind, glob, record_id order by position limit ${constant(KEYS_MAX + 1)})
      select
        -- The first activities have their fields.
        ${topOf(sql`record_id < ${first_notable}`, RECORD)} as activities,
        ${topOf(sql`record_id >= ${first_notable}`)} as notables,
        (select count(*) from matches where record_id < ${first_notable})::int as activities_total,
        (select count(*) from matches where record_id >= ${first_notable})::int as notables_total,
        (select coalesce(json_agg(json_build_object('place', place, 'kind', kind, 'glob', glob, 'record_id', record_id,
          'is_notable', is_notable) order by position), '[]')::text from keys) as keys,
        (select coalesce(json_agg(json_build_object('id', id, 'is_own', is_own)), '[]')::text from expected) as expected,
        -- Activities that would match if they had the same base branch.
        (select coalesce(json_agg(record_id), '[]')::text from (
          select distinct record_id from found
          where is_sure and record_id in (select id from other_base except select id from excluded)
          order by record_id desc limit ${limit}) as other) as other_base,
        -- Live activities except those that are checked, and active notables that apply.
        ${liveCountOf(sql.placeholder('repo_id'), 'act')}
          - (select count(*) from ended where id < ${first_notable})::int
          - (select count(*) from self cross join lateral (
              select id from ${activities} where repo_id = ${repo_id} and id = self.id
                and status in (${live_statuses}) and expires_at > ${now} order by repo_id, id limit 1) live)::int
          as live_activities,
        ${liveCountOf(sql.placeholder('repo_id'), 'ntb')}
          - (select count(*) from ended where id >= ${first_notable})::int as live_notables,
        -- Live activities whose known files do not match, although GitHub cut the list.
        (select count(*) from ${activities} where repo_id = ${repo_id} and not changes_complete and ${isOpen}
          and ${isStoredLive} and expires_at > ${now} and id not in (select id from excluded)
          and id not in (select record_id from matches) and id not in (select id from other_base))::int as cut_activities,
        -- The activities that were merged last, the newest first.
        (select coalesce(json_agg(record order by merged_at desc, id desc), '[]')::text from (
          select ${MERGED_JSON} as record, merged_at, id from ${activities}
          where repo_id = ${repo_id} and merged_at > ${parameter('merged_since', 'timestamptz')}
          order by merged_at desc, id desc limit ${parameter('merged', 'int')}) as newest) as merged,
        (select ${REPOSITORY_VERSION} from ${repositories} where ${repositories.repo_id} = ${repo_id}) as repository_version
    ) as answer`),
)

/** The number of records that may overlap and have no decided key that says so. */
export const runCountUndecided = prepared('overlap_count_undecided', (db) =>
  db
    .select({
      activities: sql<number>`(count(*) filter (where id < ${first_notable}))::int`,
      notables: sql<number>`(count(*) filter (where id >= ${first_notable}))::int`,
    })
    .from(sql`(
      with ${ENDED},
      excluded as materialized (${idsOf('excluded')}),
      ${POINTS},
      decided as materialized (
        select * from ${rowsOf('decided', 'place text, kind smallint, glob text, record_id text, is_overlap boolean')}),
      claim as (
        ${IN_RANGES}
        union all ${atPoints(sql`(${SURE_KINDS} or kind >= ${constant(PATTERN)})`)}
        union all ${WITH_LABELS})
      select claim.record_id as id from claim
      left join decided on decided.place = claim.place and decided.kind = claim.kind and decided.glob = claim.glob
        and coalesce(decided.record_id, claim.record_id) = claim.record_id
      where claim.record_id not in (select id from excluded) and claim.record_id not in (select id from ended)
      group by claim.record_id
      having not bool_or(claim.is_sure or coalesce(decided.is_overlap, false))
        and bool_or(not claim.is_sure and decided.is_overlap is null)) as undecided`),
)
