/** The table of jobs: background work that survives the process. */
import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, json, pgTable, smallint, text } from 'drizzle-orm/pg-core'
import { byteText, instant, isOneOf } from '../platform/db/database.ts'

export const JOB_STATES = ['pending', 'done', 'dead'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Not keyed by repository: workers poll all repositories for due jobs. */
export const jobs = pgTable(
  'jobs',
  {
    /** Identifies the work: enqueueing the same id again is the same job. */
    id: text().primaryKey(),
    kind: text().notNull(),
    /** Jobs of one repository run one at a time; 0: no repository. */
    repo_id: bigint({ mode: 'number' }).notNull(),
    payload: json().$type<unknown>(),
    state: text().$type<JobState>().notNull(),
    run_at: instant().notNull(),
    /** When the worker's lease expires. Null: no worker runs the job. */
    leased_until: instant(),
    /** How often the job was enqueued. If that changes during a run, the job runs again. */
    enqueued: integer().notNull(),
    attempts: integer().notNull(),
    /** The number of the run that holds the lease. Each lease adds 1, and renewals keep it. */
    run: integer().notNull().default(0),
    last_error: text(),
    /** The ids of the newest deliveries and requests that enqueued the job, for the log. */
    caused_by: text().array().notNull().default([]),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
    /** The position in `PRIORITIES`. */
    priority: smallint().notNull().default(0),
    /** The login whose work it is, in lower case; empty if it is nobody's. */
    owner: byteText().notNull().default(''),
    /** The time that is reserved for its write to GitHub. The job waits until then. Null: none is reserved. */
    write_at: instant(),
    /** How many runs in a row outlived their lease. */
    lapses: smallint().notNull().default(0),
  },
  (table) => [
    index('jobs_due').on(table.state, table.run_at),
    index('jobs_turns').on(table.priority, table.owner, table.run_at, table.id).where(sql`state = 'pending'`),
    index('jobs_repository').on(table.repo_id, table.leased_until),
    index('jobs_ended').on(table.updated_at).where(sql`state in ('done', 'dead')`),
    check('jobs_state_check', isOneOf(table.state, JOB_STATES)),
  ],
)

export type JobRow = typeof jobs.$inferSelect
