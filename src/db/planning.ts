/** How statements are planned, on one server and on a distributed database (decisions: storage). */

/**
 * Every statement can use an index, whatever its values and the number of rows. JIT compilation takes longer than a
 * statement runs. A sequential scan, chosen while a table was small, must not be kept in a cached plan when the table has
 * grown (docs/operations.md lists these settings for poolers).
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
