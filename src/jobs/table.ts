/** The table of jobs: background work that survives the process. */
import { sql } from 'drizzle-orm'
import { bigint, index, integer, json, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from '../db/column.ts'

export type JobState = 'pending' | 'done' | 'dead'

/** Not a table of repositories: workers look for what is due in all of them. */
export const jobs = pgTable(
  'jobs',
  {
    /** Names the work: the same id asked for again is the same job. */
    id: text().primaryKey(),
    kind: text().notNull(),
    /** Jobs of one repository run one at a time; 0 stands for none. */
    repo_id: bigint({ mode: 'number' }).notNull(),
    payload: json().$type<unknown>(),
    state: text().$type<JobState>().notNull(),
    run_at: instant().notNull(),
    /** Until then a worker has it. */
    leased_until: instant(),
    /** Grows with every request for it, so that one that comes while it runs is not lost. */
    asked: integer().notNull(),
    attempts: integer().notNull(),
    /** The number of the run that holds the lease; each claim adds 1. Unlike the end of the lease, it is the same throughout a run. */
    run: integer().notNull().default(0),
    last_error: text(),
    /** The newest deliveries and requests that asked for it, by which the log finds what came of them. */
    caused_by: text().array().notNull().default([]),
    /** The span in which it was last asked for. */
    traceparent: text(),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
  },
  (table) => [
    index('jobs_due').on(table.state, table.run_at),
    index('jobs_repository').on(table.repo_id, table.leased_until),
    index('jobs_ended').on(table.updated_at).where(sql`state in ('done', 'dead')`),
  ],
)

export type JobRow = typeof jobs.$inferSelect
