/** How statements are planned, on one server and on a distributed database. */

/**
 * Settings of every session (docs/operations.md lists them for poolers). Sequential scans are off because every statement
 * can use an index, and a plan that was cached while a table was small would keep its scan after the table has grown. JIT
 * compilation is off because it takes longer than the statements run.
 */
export const PLANNING = { enable_seqscan: 'off', jit: 'off' }

/** A prepared statement is planned once, because planning it for its values takes longer than running it. */
export const PLANNED_ONCE = 'force_generic_plan'

/** An SQL condition: Citus manages `table`, which is an SQL expression. False without Citus. */
export const isManaged = (table: string) => `exists (
  select from pg_depend d join pg_extension e on e.oid = d.refobjid
  where e.extname = 'citus' and d.refclassid = 'pg_extension'::regclass
    and d.classid = 'pg_class'::regclass and d.objid = ${table})`

/** An SQL condition: the tables are distributed. */
export const IS_DISTRIBUTED = isManaged("to_regclass('repositories')")

/** Completes the planning settings of a session. On a distributed database the values determine the shard, so statements are planned for their values. */
export const SET_PLANNING = `select set_config('plan_cache_mode', case when ${IS_DISTRIBUTED} then 'auto' else '${PLANNED_ONCE}' end, false)`
