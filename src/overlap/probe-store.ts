/** The SQL that looks into the index of claims: parts of the statements of an overlap check (contract §6; decisions: the index). */
import { type SQL, sql } from 'drizzle-orm'
import { LIVE_STATUSES } from '../activities/activity.ts'
import { activities } from '../activities/table.ts'
import { AREA, FILE, PATTERN, PLAIN, SUBTREE, TRUNCATED } from '../claims/claim.ts'
import { claims } from '../claims/table.ts'
import { notables } from '../notables/table.ts'
import { BENEATH, DEEP } from './probes.ts'

/** Undecided keys of one check at most. */
export const KEYS_MAX = 50_000
/** More than any repository has: a limit makes the planner take the rows of each probe in the order of the index. */
const ALL = sql.raw('10000000')
const KEY = sql.raw('repo_id, place, kind, glob, record_id, weight')
export const REPO = sql`${sql.placeholder('repo_id')}::bigint`
export const NOW = sql`${sql.placeholder('now')}::timestamptz`
const HOUR = sql`${sql.placeholder('hour')}::int`
export const IS_FIRST = sql`${sql.placeholder('is_first')}::boolean`
export const code = (kind: number) => sql.raw(String(kind))

/** The rows of a JSON array that is given as the text `name`. */
export function given(name: string, columns: string): SQL {
  return sql`json_to_recordset(${sql.placeholder(name)}::text::json) as given(${sql.raw(columns)})`
}

/** The claims of each row of `from`, read from the index in its order. */
function claimsBy(from: SQL, condition: SQL): SQL {
  return sql`${from} cross join lateral (
    select place, kind, glob, record_id, weight from ${claims} where repo_id = ${REPO} and ${condition}
    order by ${KEY} limit ${ALL}) c`
}

/** Stored as live, but no longer so: the ids of what the sweep has not come to yet. */
export const GONE = sql`
  select a.id from unnest(array[${sql.raw(LIVE_STATUSES.map((each) => `'${each}'`).join())}]) as live(status)
  cross join lateral (select id from ${activities} where repo_id = ${REPO} and status = live.status
    and expires_hour <= ${HOUR} and expires_at <= ${NOW} order by repo_id, status, expires_hour limit ${ALL}) a
  union all (select id from ${notables} where repo_id = ${REPO} and status = 'active'
    and expires_hour <= ${HOUR} and expires_at <= ${NOW} order by repo_id, status, expires_hour limit ${ALL})
  union all (select id from ${notables} where repo_id = ${REPO} and status = 'active'
    and applies_until <= ${NOW} and expires_at > ${NOW} order by repo_id, applies_until limit ${ALL})`

const MAY_BE_IGNORED = sql`c.kind in (${code(FILE)}, ${code(PLAIN)}) and c.place ~ ${sql.placeholder('ignored')}::text`

/** Whether a claim in a range meets: true, or null where that has to be decided. */
const IS_SURE_IN_RANGE = sql`case when c.kind = ${code(TRUNCATED)} or (${MAY_BE_IGNORED}) then null
  when given.mode <= ${code(BENEATH)} then true
  when c.kind between ${code(PLAIN)} and ${code(SUBTREE)} and (given.mode = ${code(DEEP)} or c.place = given.low) then true end`

/** The claims that were found to meet. */
export const DECIDED = sql`
  select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, given.by_path, true as is_sure
  from ${claimsBy(
    given('decided', 'place text, kind smallint, glob text, record_id text, by_path boolean'),
    sql`place = given.place and kind = given.kind and glob = given.glob
      and (given.record_id is null or record_id = given.record_id)`,
  )}`

/**
 * Every claim that meets or may meet, with what is sure. Patterns at a point are listed once for all records that have
 * them, by skipping through the index from the greatest to the least: many records share few patterns.
 */
export const FOUND = sql`
  select c.place, c.kind, c.glob, c.record_id, c.record_id as newest, c.weight, true as by_path, ${IS_SURE_IN_RANGE} as is_sure
  from ${claimsBy(given('ranges', 'low text, high text, mode int'), sql`place >= given.low and place < given.high`)}
  where not (c.kind = ${code(FILE)} and c.place = given.low and given.mode >= ${code(BENEATH)})
  union all
  select c.place, c.kind, c.glob, c.record_id, c.record_id, c.weight, true,
    case when ${MAY_BE_IGNORED} then null else true end
  from ${claimsBy(sql`points given`, sql`place = given.place and kind between given.first and given.last`)}
  union all
  select place, ${code(PATTERN)}, glob, '', newest, weight, true, null from (select * from patterns limit ${code(KEYS_MAX + 1)}) p
  union all
  select c.place, c.kind, c.glob, c.record_id, c.record_id, c.weight, true, null
  from ${claimsBy(sql`points given`, sql`place = given.place and kind = ${code(TRUNCATED)} and ${IS_FIRST}`)}
  union all
  select c.place, c.kind, c.glob, c.record_id, c.record_id, c.weight, given.by_path, true
  from ${claimsBy(given('labels', 'place text, by_path boolean'), sql`place = given.place and kind = ${code(AREA)}`)}
  union all ${DECIDED}`

const PATTERN_BEFORE = (place: SQL, limit: SQL) => sql`select glob, record_id as newest, weight from ${claims}
  where repo_id = ${REPO} and place = ${place} and kind = ${code(PATTERN)} ${limit}
  order by repo_id desc, place desc, kind desc, glob desc, record_id desc, weight desc limit 1`

export const PATTERNS = sql`
  select given.place, next.* from points given
  cross join lateral (${PATTERN_BEFORE(sql`given.place`, sql`and ${IS_FIRST}`)}) next
  union all
  select last.place, next.* from patterns last
  cross join lateral (${PATTERN_BEFORE(sql`last.place`, sql`and glob < last.glob`)}) next`

/** The claims of every record that has one to be decided, as far as they may meet, each with whether it is sure to. */
export const OPEN_CLAIMS = sql`
  select c.place, c.kind, c.glob, c.record_id, ${IS_SURE_IN_RANGE} as is_sure
  from ${claimsBy(given('ranges', 'low text, high text, mode int'), sql`place >= given.low and place < given.high`)}
  where not (c.kind = ${code(FILE)} and c.place = given.low and given.mode >= ${code(BENEATH)})
  union all
  select c.place, c.kind, c.glob, c.record_id,
    case when c.kind >= ${code(PATTERN)} or (${MAY_BE_IGNORED}) then null else true end
  from ${claimsBy(
    given('points', 'place text, first smallint, last smallint'),
    sql`place = given.place and (kind between given.first and given.last or kind >= ${code(PATTERN)})`,
  )}
  union all
  select c.place, c.kind, c.glob, c.record_id, true
  from ${claimsBy(given('labels', 'place text, by_path boolean'), sql`place = given.place and kind = ${code(AREA)}`)}`

/** The ids in the JSON array that is given as the text `name`. */
export function idsGiven(name: string): SQL {
  return sql`select json_array_elements_text(${sql.placeholder(name)}::text::json) as id`
}
