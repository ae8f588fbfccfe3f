/** The statements of an overlap check, generated from the truth table and the severities. */
import { type SQL, sql } from 'drizzle-orm'
import { LIVE_STATUSES } from '../../vocabulary/activity-status.ts'
import { type OverlapKind, SEVERITIES, SEVERITY_BY_WEIGHT } from '../../vocabulary/severity.ts'
import { COMPARED_JSON, MERGED_JSON } from '../activities/live-store.ts'
import { activities } from '../activities/table.ts'
import { AREA, FILE, type Kind, PATTERN, PLAIN, TRUNCATED } from '../claims-index/claim.ts'
import { liveCountOf } from '../claims-index/store.ts'
import { claims } from '../claims-index/table.ts'
import { prepared } from '../db/prepared.ts'
import { notables } from '../notables/table.ts'
import { REPOSITORY_VERSION } from '../repositories/store.ts'
import { repositories } from '../repositories/table.ts'
import { type Answer, CLAIM_KINDS, RANGE_PROBES, TRUTH_TABLE } from './probes.ts'
import { STACK } from './stack-store.ts'

/** The maximum number of undecided keys of one check; a search returns one more if there are more. */
export const KEYS_MAX = 50_000
/** More rows than any repository has. A limit makes the planner read the rows of each probe in index order. */
const ALL = sql.raw('10000000')
const KEY = sql.raw('repo_id, place, kind, glob, record_id, weight')
const REPO = sql`${sql.placeholder('repo_id')}::bigint`
const NOW = sql`${sql.placeholder('now')}::timestamptz`
const HOUR = sql`${sql.placeholder('hour')}::int`
const IS_FIRST = sql`${sql.placeholder('is_first')}::boolean`
const NOTABLE = sql.raw("'ntb'")
const LIVE = sql.raw(LIVE_STATUSES.map((each) => `'${each}'`).join())
const code = (value: number) => sql.raw(String(value))

/** The rows of the JSON array in the parameter `name`. */
function given(name: string, columns: string): SQL {
  return sql`json_to_recordset(${sql.placeholder(name)}::text::json) as given(${sql.raw(columns)})`
}

function givenIds(name: string): SQL {
  return sql`select json_array_elements_text(${sql.placeholder(name)}::text::json) as id`
}

/** The claims for each row of `from`, in index order. */
function claimsBy(from: SQL, condition: SQL): SQL {
  return sql`${from} cross join lateral (
    select place, kind, glob, record_id, weight from ${claims} where repo_id = ${REPO} and ${condition}
    order by ${KEY} limit ${ALL}) c`
}

/** Records that are stored as live, but have expired or ceased to apply since the last sweep. */
const ENDED = sql`ended as materialized (
  select a.id from unnest(array[${LIVE}]) as live(status)
  cross join lateral (select id from ${activities} where repo_id = ${REPO} and status = live.status
    and expires_hour <= ${HOUR} and expires_at <= ${NOW} order by repo_id, status, expires_hour limit ${ALL}) a
  union all (select id from ${notables} where repo_id = ${REPO} and status = 'active'
    and expires_hour <= ${HOUR} and expires_at <= ${NOW} order by repo_id, status, expires_hour limit ${ALL})
  union all (select id from ${notables} where repo_id = ${REPO} and status = 'active'
    and applies_until <= ${NOW} and expires_at > ${NOW} order by repo_id, applies_until limit ${ALL}))`

const MAY_BE_IGNORED = sql`(c.kind in (${code(FILE)}, ${code(PLAIN)}) and c.place ~* ${sql.placeholder('ignored')}::text)`

/** The rows of `TRUTH_TABLE` for ranges as one text: per probe first `at`, then `beneath`; per claim kind one letter. */
const LETTERS: Record<Answer, string> = { sure: 'S', decide: 'D', skip: '-' }
const ANSWERS = RANGE_PROBES.flatMap((probe) => [TRUTH_TABLE[probe].at, TRUTH_TABLE[probe].beneath])
  .map((row) => row.map((answer) => LETTERS[answer]).join(''))
  .join('')
const WIDTH = CLAIM_KINDS.length
const ANSWER = sql`substr(${sql.raw(`'${ANSWERS}'`)}, given.probe * ${code(2 * WIDTH)}
  + case when c.place = given.low then 0 else ${code(WIDTH)} end + c.kind - ${code(CLAIM_KINDS[0] - 1)}, 1)`

/** The claims of the ranges that are not skipped; `is_sure` is null for those that have to be decided. */
const IN_RANGES = sql`
  select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, true as by_path,
    case when ${MAY_BE_IGNORED} then null when ${ANSWER} = 'S' then true end as is_sure
  from ${claimsBy(given('ranges', 'low text, high text, probe int'), sql`place >= given.low and place < given.high`)}
  where ${ANSWER} <> '-'`

const WITH_LABELS = sql`
  select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, given.by_path, true as is_sure
  from ${claimsBy(given('labels', 'place text, by_path boolean'), sql`place = given.place and kind = ${code(AREA)}`)}`

/** The points to look up. `first` to `last` are the claim kinds with the answer `sure`. */
const POINTS = sql`points as materialized (select * from ${given('points', 'place text, first smallint, last smallint')})`

/** The claims of the points that `condition` selects. */
function atPoints(condition: SQL): SQL {
  return sql`select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, true as by_path,
    case when c.kind >= ${code(PATTERN)} or ${MAY_BE_IGNORED} then null else true end as is_sure
    from ${claimsBy(sql`points given`, sql`place = given.place and ${condition}`)}`
}
const IS_SURE_KIND = sql`kind between given.first and given.last`

const DECIDED = sql`
  select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, given.by_path, true as is_sure
  from ${claimsBy(
    given('decided', 'place text, kind smallint, glob text, record_id text, by_path boolean'),
    sql`place = given.place and kind = given.kind and glob = given.glob
      and (given.record_id is null or record_id = given.record_id)`,
  )}`

const nextPattern = (
  place: SQL,
  condition: SQL,
) => sql`select glob, record_id as newest, weight from ${claims}
  where repo_id = ${REPO} and place = ${place} and kind = ${code(PATTERN)} ${condition}
  order by repo_id desc, place desc, kind desc, glob desc, record_id desc, weight desc limit 1`

/**
 * The distinct patterns at the points, the last one first. Each step reads one index row, because many records share few
 * patterns.
 */
const PATTERNS = sql`patterns as (
  select given.place, next.* from points given
  cross join lateral (${nextPattern(sql`given.place`, sql`and ${IS_FIRST}`)}) next
  union all
  select last.place, next.* from patterns last
  cross join lateral (${nextPattern(sql`last.place`, sql`and glob < last.glob`)}) next)`

/** Every claim that overlaps or may overlap. */
const FOUND = sql`found as materialized (${IN_RANGES}
  union all ${atPoints(IS_SURE_KIND)}
  union all ${atPoints(sql`kind = ${code(TRUNCATED)} and ${IS_FIRST}`)}
  union all
  select place, ${code(PATTERN)}, glob, '', newest, weight, true, null from (select * from patterns limit ${code(KEYS_MAX + 1)}) p
  union all ${WITH_LABELS}
  union all ${DECIDED})`

/** Ranks by weight; arrays in SQL start at 1. */
const ranks = (kind: OverlapKind) =>
  sql.raw(`(array[${SEVERITY_BY_WEIGHT[kind].map((each) => SEVERITIES.indexOf(each)).join()}])[weight + 1]`)

/** The records that overlap for sure, each once. */
const MATCHES = sql`matches as materialized (
    select record_id, max(case when record_id >= ${NOTABLE} then ${ranks('notable')}
      when by_path then ${ranks('path')} else ${ranks('area')} end) as rank from found
    where is_sure and record_id not in (select id from excluded) and record_id not in (select id from ended)
    group by record_id)`

const LIMIT = sql`${sql.placeholder('limit')}::int`

function top(part: 'activity' | 'notable', condition: SQL, json: SQL): SQL {
  return sql`(select ${sql.raw(`'${part}'`)} as part, record_id, rank, total, null, null::int, null, null::boolean, ${json}
    from (select record_id, rank, (count(*) over ())::int as total, row_number() over (order by rank desc, record_id desc) as at
      from matches where ${condition} order by rank desc, record_id desc limit ${LIMIT}) ranked order by at)`
}

/** The fields of the first records in the list. Null if the first search cut the list, because a second search may follow. */
const JSON_OF_FIRST = sql`case when at <= ${sql.placeholder('records')}::int and (total <= ${LIMIT} or not ${IS_FIRST}) then
  (select ${COMPARED_JSON} from ${activities} where repo_id = ${REPO} and id = record_id order by repo_id, id limit 1) end`
const TOP = sql`${top('activity', sql`record_id < ${NOTABLE}`, JSON_OF_FIRST)}
  union all ${top('notable', sql`record_id >= ${NOTABLE}`, sql`null`)}`
const COLUMNS = sql.raw('(part, record_id, rank, total, place, kind, glob, is_notable, json)')

/** The activities that were merged last, newest first. */
const MERGED = sql`(select 'merged', id, null::int, null::int, null, null::int, null, null::boolean, ${MERGED_JSON}
  from ${activities} where repo_id = ${REPO} and merged_at > ${sql.placeholder('merged_since')}::timestamptz
  order by merged_at desc, id desc limit ${sql.placeholder('merged')}::int)`

const LIVE_SELF = sql`(select count(*)::int from self cross join lateral (
  select id from ${activities} where repo_id = ${REPO} and id = self.id
    and status in (${LIVE}) and expires_at > ${NOW} order by repo_id, id limit 1) live)`
const LIVE_ACTIVITIES = sql`${liveCountOf(sql.placeholder('repo_id'), 'act')} - (select count(*)::int from ended where id < ${NOTABLE}) - ${LIVE_SELF}`
const LIVE_NOTABLES = sql`${liveCountOf(sql.placeholder('repo_id'), 'ntb')} - (select count(*)::int from ended where id >= ${NOTABLE})`
const KEY_RECORD = sql`case when kind = ${code(TRUNCATED)} then record_id end`

/**
 * The search of a check. Each row is one part of the answer: a match, a key to decide, an own or stacked activity, or a
 * count.
 */
export const runSearch = prepared('overlap_search', (db) =>
  db
    .select({
      part: sql<'activity' | 'notable' | 'merged' | 'key' | 'own' | 'stacked' | 'live' | 'repository'>`part`,
      record_id: sql<string | null>`record_id`,
      rank: sql<number>`rank`,
      total: sql<number>`total`,
      place: sql<string>`place`,
      kind: sql<Kind>`kind`,
      glob: sql<string>`glob`,
      is_notable: sql<boolean>`is_notable`,
      json: sql<string | null>`json`,
    })
    .from(sql`(
      with recursive ${ENDED}, self as materialized (${givenIds('self')}), ${STACK},
      excluded as materialized (select id from self union all select id from expected),
      ${POINTS}, ${PATTERNS}, ${FOUND}, ${MATCHES}
      ${TOP}
      union all (
        select 'key', ${KEY_RECORD}, null, null, place, kind, glob, max(newest) >= ${NOTABLE}, null from found
        where is_sure is null and ${IS_FIRST} and record_id not in (select id from excluded)
        group by place, kind, glob, ${KEY_RECORD}
        order by max(weight) desc, max(newest) desc limit ${code(KEYS_MAX + 1)})
      union all select case when is_own then 'own' else 'stacked' end, id, null, null, null, null, null, null, null from expected
      union all select 'live', 'act', null, ${LIVE_ACTIVITIES}, null, null, null, null, null
      union all select 'live', 'ntb', null, ${LIVE_NOTABLES}, null, null, null, null, null
      union all ${MERGED}
      union all select 'repository', ${REPOSITORY_VERSION}, null, null, null, null, null, null, null
        from ${repositories} where ${repositories.repo_id} = ${REPO}
    ) as answer${COLUMNS}`),
)

/** The records that have one of the decided keys. */
export const runDecided = prepared('overlap_decided', (db) =>
  db
    .select({
      part: sql<'activity' | 'notable'>`part`,
      record_id: sql<string>`record_id`,
      rank: sql<number>`rank`,
      total: sql<number>`total`,
      json: sql<string | null>`json`,
    })
    .from(sql`(
      with ${ENDED}, excluded as materialized (${givenIds('excluded')}), found as materialized (${DECIDED}),
      ${MATCHES}
      ${TOP}) as answer${COLUMNS}`),
)

/** The number of records that may overlap and have no decided key that says so. */
export const runCountUndecided = prepared('overlap_count_undecided', (db) =>
  db
    .select({
      activities: sql<number>`(count(*) filter (where id < ${NOTABLE}))::int`,
      notables: sql<number>`(count(*) filter (where id >= ${NOTABLE}))::int`,
    })
    .from(sql`(
      with ${ENDED}, excluded as materialized (${givenIds('excluded')}), ${POINTS},
      verdict as materialized (select * from ${given('decided', 'place text, kind smallint, glob text, record_id text, is_overlap boolean')})
      select claim.record_id as id
      from (${IN_RANGES} union all ${atPoints(sql`(${IS_SURE_KIND} or kind >= ${code(PATTERN)})`)} union all ${WITH_LABELS}) claim
      left join verdict on verdict.place = claim.place and verdict.kind = claim.kind and verdict.glob = claim.glob
        and coalesce(verdict.record_id, claim.record_id) = claim.record_id
      where claim.record_id not in (select id from excluded) and claim.record_id not in (select id from ended)
      group by claim.record_id
      having not bool_or(coalesce(claim.is_sure, verdict.is_overlap, false))
        and bool_or(claim.is_sure is null and verdict.is_overlap is null)) as undecided`),
)
