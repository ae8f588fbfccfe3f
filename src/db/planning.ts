/** How statements are planned, on one server and on a distributed database (decisions: storage). */

/**
 * Every statement is answered from an index, whatever its values and however many rows there are. Compiling one takes
 * longer than it runs; and a plan that reads a whole table, since there was little in it, is not to be kept when there is
 * more (docs/operations.md has them for poolers).
 */
export const PLANNING = { enable_seqscan: 'off', jit: 'off' }

/** Nor is a statement planned again for its values: that takes longer than to run it. */
export const PLANNED_ONCE = 'force_generic_plan'

/** A condition: whether Citus manages a table, an SQL expression. False where there is no Citus. */
export const isManaged = (table: string) => `exists (
  select from pg_depend d join pg_extension e on e.oid = d.refobjid
  where e.extname = 'citus' and d.refclassid = 'pg_extension'::regclass
    and d.classid = 'pg_class'::regclass and d.objid = ${table})`

/** A condition: whether the tables are distributed. */
export const IS_DISTRIBUTED = isManaged("to_regclass('repositories')")

/** Completes the planning of a session. The shard of a distributed table follows from the values, so there a statement is planned with them. */
export const SET_PLANNING = `select set_config('plan_cache_mode', case when ${IS_DISTRIBUTED} then 'auto' else '${PLANNED_ONCE}' end, false)`
