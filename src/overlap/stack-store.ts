/** The SQL of own and stacked work: part of the statement that searches for overlaps (contract §6, relationships). */
import { type SQL, sql } from 'drizzle-orm'
import { isBranch, isOpen, isStoredLive } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'

/** Branches that are followed at most, in each direction; activities that are read of each, and in all. */
const BRANCHES_MAX = sql.raw('1000')
const LINKS_MAX = sql.raw('10000')

const BRANCH = sql`${sql.placeholder('branch')}::text`
const BASE_BRANCH = sql`${sql.placeholder('base_branch')}::text`

/** The live activities whose `branch` (or `base_branch`) is `name`, the newest first. That they are open is said too: the indexes hold those. */
function linksOf(by: 'branch' | 'base_branch', name: SQL): SQL {
  return sql`(select ${activities.id}, ${activities.branch}, ${activities.base_branch} from ${activities}
    where ${activities.repo_id} = ${sql.placeholder('repo_id')}::bigint and ${isOpen} and ${isStoredLive}
      and ${activities.expires_at} > ${sql.placeholder('now')}::timestamptz and ${isBranch(activities[by], name)}
    order by ${activities.repo_id} desc, ${activities[by]} desc, ${activities.id} desc limit ${LINKS_MAX})`
}

/**
 * Follows `base_branch` → `branch` from the work in both directions, over any number of steps, each branch once. Two works
 * that merely share a base are not stacked, so a step never turns around. `expected` has all that was found; what has the
 * work's own branch is there with `is_own`, and may be there a second time.
 */
export const STACK = sql`
  own as materialized (select * from ${linksOf('branch', BRANCH)} link),
  below(name) as (
    select name from (select ${BASE_BRANCH} union select base_branch from own) as bases(name)
    where name is not null and name is distinct from ${BRANCH}
    union
    select link.base_branch from below cross join lateral ${linksOf('branch', sql`below.name`)} link
    where link.base_branch is not null and link.base_branch is distinct from ${BRANCH}),
  above(name) as (
    select ${BRANCH} where ${BRANCH} is not null
    union
    select link.branch from above cross join lateral ${linksOf('base_branch', sql`above.name`)} link
    where link.branch is not null),
  expected as materialized (
    select id, true as is_own from own
    union all
    (select link.id, false from (select name from below limit ${BRANCHES_MAX}) as names
    cross join lateral ${linksOf('branch', sql`names.name`)} link limit ${LINKS_MAX})
    union all
    (select link.id, false from (select name from above limit ${BRANCHES_MAX}) as names
    cross join lateral ${linksOf('base_branch', sql`names.name`)} link limit ${LINKS_MAX}))`
