/** Own and stacked activities, as a part of the statement of a check. */
import { type SQL, sql } from 'drizzle-orm'
import { isBranch, isOpen, isStoredLive } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'
import { branch_links } from '../stacks/table.ts'

/** The maximum number of branches followed in each direction, and of activities in total. */
const BRANCHES_MAX = sql.raw('1000')
const LINKS_MAX = sql.raw('10000')
const BRANCH = sql`${sql.placeholder('branch')}::text`
const BASE_BRANCH = sql`${sql.placeholder('base_branch')}::text`

/**
 * The live activities whose `branch` (or `base_branch`) is `name`, newest first. `isOpen` matches the predicate of the
 * indexes.
 */
function linksOf(by: 'branch' | 'base_branch', name: SQL): SQL {
  return sql`(select ${activities.id}, ${activities.branch}, ${activities.base_branch} from ${activities}
    where ${activities.repo_id} = ${sql.placeholder('repo_id')}::bigint and ${isOpen} and ${isStoredLive}
      and ${activities.expires_at} > ${sql.placeholder('now')}::timestamptz and ${isBranch(activities[by], name)}
    order by ${activities.repo_id} desc, ${activities[by]} desc, ${activities.id} desc limit ${LINKS_MAX})`
}

/**
 * The links of branches whose `branch` (or `base_branch`) is `name`. It is compared as a range for the reason given at
 * `isBranch`.
 */
function stackedBy(by: 'branch' | 'base_branch', name: SQL): SQL {
  const column = branch_links[by]
  return sql`(select ${branch_links.branch}, ${branch_links.base_branch} from ${branch_links}
    where ${branch_links.repo_id} = ${sql.placeholder('repo_id')}::bigint and ${column} between ${name} and ${name}
    order by ${branch_links.repo_id}, ${column} limit ${BRANCHES_MAX})`
}

/** Both kinds of links of a branch: by the base branches of activities, and by commits. */
function anyLinkOf(by: 'branch' | 'base_branch', name: SQL): SQL {
  return sql`(select branch, base_branch from ${linksOf(by, name)} a union all select branch, base_branch from ${stackedBy(by, name)} b)`
}

/**
 * Own and stacked activities, as the rows `expected (id, is_own)`. `below` follows base branches
 * and links of branches downwards, `above` upwards, each branch once. No search changes its direction, because two
 * activities that only share a base are not stacked. An activity can be in `expected` twice.
 */
export const STACK = sql`
  own as materialized (select * from ${linksOf('branch', BRANCH)} link),
  below(name) as (
    select name from (select ${BASE_BRANCH} union select base_branch from own
      union select base_branch from ${stackedBy('branch', BRANCH)} built_on) as bases(name)
    where name is not null and name is distinct from ${BRANCH}
    union
    select link.base_branch from below cross join lateral ${anyLinkOf('branch', sql`below.name`)} link
    where link.base_branch is not null and link.base_branch is distinct from ${BRANCH}),
  above(name) as (
    select ${BRANCH} where ${BRANCH} is not null
    union
    select link.branch from above cross join lateral ${anyLinkOf('base_branch', sql`above.name`)} link
    where link.branch is not null),
  expected as materialized (
    select id, true as is_own from own
    union all
    (select link.id, false from (select name from below limit ${BRANCHES_MAX}) as names
    cross join lateral ${linksOf('branch', sql`names.name`)} link limit ${LINKS_MAX})
    union all
    (select link.id, false from (select name from above limit ${BRANCHES_MAX}) as names
    cross join lateral ${linksOf('base_branch', sql`names.name`)} link limit ${LINKS_MAX})
    union all
    (select link.id, false from (select name from above limit ${BRANCHES_MAX}) as names
    cross join lateral ${stackedBy('base_branch', sql`names.name`)} built
    cross join lateral ${linksOf('branch', sql`built.branch`)} link
    where built.branch <> ${BRANCH} limit ${LINKS_MAX}))`

/**
 * The live activities for another base branch than the work that is checked: `other_base (id)`. A proposal without a base
 * branch has that of its branch. Nearly all activities have the same base branch, so those with another one are two short
 * ranges of the index. A part of a stack is for the base branch of the stack: `stack_of` follows the base branches down.
 */
export const OTHER_BASE = sql`
  differing as materialized (
    select link.id, link.base_branch from (
      select coalesce(${BASE_BRANCH}, (
        select base_branch from own where base_branch is not null and not exists (select from self) order by id desc limit 1)) as base
    ) as work cross join lateral (${withBase(sql`<`)} union all ${withBase(sql`>`)}) link),
  stack_of(base_branch, name) as (
    select distinct base_branch, base_branch from differing
    union
    select stack_of.base_branch, link.base_branch from stack_of cross join lateral ${anyLinkOf('branch', sql`stack_of.name`)} link
    where link.base_branch is not null),
  other_base as materialized (
    select id from differing where base_branch not in (
      select stack_of.base_branch from stack_of where name in (select name from below)))`

function withBase(compares: SQL): SQL {
  return sql`(select ${activities.id}, ${activities.base_branch} from ${activities}
    where ${activities.repo_id} = ${sql.placeholder('repo_id')}::bigint and ${isOpen} and ${isStoredLive}
      and ${activities.expires_at} > ${sql.placeholder('now')}::timestamptz and ${activities.base_branch} ${compares} work.base
    order by ${activities.repo_id}, ${activities.base_branch}, ${activities.id} limit ${LINKS_MAX})`
}
