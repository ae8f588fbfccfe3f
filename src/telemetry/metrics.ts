/** What is counted and measured, for Prometheus (docs/observability.md). Labels come from closed sets, and never name a repository, a user, a token or a path. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../base/clock.ts'
import { githubQuota } from './github-quota.ts'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A set of its own for each service, those of the process included. One observation costs about half a microsecond. */
export function openMetrics(clock: Clock) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'deconflict_request_duration_seconds',
      help: 'Time to answer a request, by operation and HTTP status; aborted: the client broke it off.',
      labelNames: ['operation', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    permission_lookups: new Counter({
      name: 'deconflict_permission_lookups_total',
      help: 'How it was found what a token may do: from memory (hit), by asking GitHub (miss, revalidated), from an earlier yes while GitHub is away (honoured), or not at all (failed).',
      labelNames: ['outcome'],
      registers,
    }),
    comparisons: new Counter({
      name: 'deconflict_repository_comparisons_total',
      help: 'Comparisons of all live activities of a repository with each other: computed, cancelled (every caller had left) or failed; and callers who shared one that another had started.',
      labelNames: ['outcome'],
      registers,
    }),
    github_calls: new Histogram({
      name: 'deconflict_github_request_duration_seconds',
      help: "Calls to GitHub, with a caller's token or as the App (installation), by status; none: no answer.",
      labelNames: ['kind', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    github_quota: githubQuota(registers, clock),
    deliveries: new Counter({
      name: 'deconflict_deliveries_total',
      help: 'Webhook deliveries: accepted, known from before, ignored, refused, or failed for a fault of ours.',
      labelNames: ['outcome'],
      registers,
    }),
    job_runs: new Histogram({
      name: 'deconflict_job_duration_seconds',
      help: 'Runs of jobs, by kind and how they ended: done, put_off, failed (to be tried again), given_up.',
      labelNames: ['kind', 'outcome'],
      buckets: JOB_SECONDS,
      registers,
    }),
    effects: new Counter({
      name: 'deconflict_effects_total',
      help: 'What jobs did to records and at GitHub.',
      labelNames: ['effect'],
      registers,
    }),
    swept: new Counter({
      name: 'deconflict_swept_total',
      help: 'What sweeps visited (repositories), stored as expired, deleted (purged records, keys, jobs), and failed at.',
      labelNames: ['what'],
      registers,
    }),
    last_sweep: new Gauge({
      name: 'deconflict_last_sweep_timestamp_seconds',
      help: 'When this instance last ended a sweep; 0 before the first.',
      registers,
    }),
    open_pages: new Gauge({
      name: 'deconflict_open_pages',
      help: 'Pages that are open at this instance and follow a repository.',
      registers,
    }),
    database_up: new Gauge({
      name: 'deconflict_database_up',
      help: 'Whether the database answered when it was last asked for the figures below: 1 or 0.',
      registers,
    }),
    jobs: new Gauge({
      name: 'deconflict_jobs',
      help: 'Jobs in the queue, by kind and state: due, running, waiting, dead. At most 100000 are counted.',
      labelNames: ['kind', 'state'],
      registers,
    }),
    oldest_due_job: new Gauge({
      name: 'deconflict_oldest_due_job_seconds',
      help: 'How long the job that is due longest has been due; 0 when none is.',
      registers,
    }),
    live_records: new Gauge({
      name: 'deconflict_live_records',
      help: 'Live activities and active notables in all repositories. At most 100000 of a kind are counted.',
      labelNames: ['kind'],
      registers,
    }),
  }
}

export type Metrics = ReturnType<typeof openMetrics>
