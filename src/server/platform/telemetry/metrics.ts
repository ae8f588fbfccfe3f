/** Prometheus metrics (docs/observability.md). Label values come from closed sets and never contain a repository, user, token or path. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../../vocabulary/clock.ts'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The metrics of one service, and those of the Node.js process. One observation takes about 0.5 µs. */
export function openMetrics(clock: Clock) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  return {
    registry,
    requests: new Histogram({
      name: 'deconflict_request_duration_seconds',
      help: 'Duration of requests, by operation and HTTP status. Status aborted: the client disconnected.',
      labelNames: ['operation', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    permission_lookups: counter(
      'deconflict_permission_lookups_total',
      'Permission lookups, by outcome: cached (hit), requested from GitHub (miss, revalidated), cached earlier and used while GitHub is unavailable (honoured), or failed.',
      'outcome',
    ),
    comparisons: counter(
      'deconflict_repository_comparisons_total',
      'Comparisons of all live activities of a repository: computed or failed; shared counts requests that used the comparison of another request.',
      'outcome',
    ),
    background: counter(
      'deconflict_background_total',
      'Work that follows responses, such as recording who was shown a pair: done, failed, or dropped because too much was waiting.',
      'outcome',
    ),
    github_calls: new Histogram({
      name: 'deconflict_github_request_duration_seconds',
      help: "Duration of requests to GitHub with a caller's token (caller) or as the App (installation), by HTTP status. Status none: no response.",
      labelNames: ['kind', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    github_quota: githubQuota(registers, clock),
    deliveries: counter(
      'deconflict_deliveries_total',
      'Webhook deliveries: accepted, known (a duplicate), ignored, refused, or failed (internal error).',
      'outcome',
    ),
    job_runs: new Histogram({
      name: 'deconflict_job_duration_seconds',
      help: 'Duration of job runs, by kind and outcome: done, rescheduled, failed (to be retried), dead (dead-lettered).',
      labelNames: ['kind', 'outcome'],
      buckets: JOB_SECONDS,
      registers,
    }),
    effects: counter('deconflict_effects_total', 'Effects of jobs on records and on GitHub.', 'effect'),
    audit_failures: counter(
      'deconflict_audit_failures_total',
      'Lines that could not be written to the audit log.',
    ),
    swept: counter(
      'deconflict_swept_total',
      'Sweep results: repositories visited, records expired and purged, keys and jobs deleted, records and repositories failed.',
      'what',
    ),
    last_sweep: gauge(
      'deconflict_last_sweep_timestamp_seconds',
      'Time of the last completed sweep of this instance; 0 before the first.',
    ),
    database_up: gauge(
      'deconflict_database_up',
      '1 if the database answered the last query for the gauges that are read from it, else 0.',
    ),
    jobs: gauge(
      'deconflict_jobs',
      'Jobs in the queue, by kind and state: due, running, waiting, dead. Counts stop at 100000.',
      'kind',
      'state',
    ),
    oldest_due_job: gauge(
      'deconflict_oldest_due_job_seconds',
      'Time since the oldest due job became due; 0 when no job is due.',
    ),
    live_records: gauge(
      'deconflict_live_records',
      'Live activities and active notables in all repositories.',
      'kind',
    ),
    pairs: gauge(
      'deconflict_pairs',
      'Stored pairs of overlapping work that were shown to somebody, in all repositories, by outcome. Counts stop at 100000.',
      'outcome',
    ),
  }
}

export type Metrics = ReturnType<typeof openMetrics>

/** Whose token a request to GitHub carries: the caller's, an installation's, or the one that watches repositories. */
export type CallKind = 'caller' | 'installation' | 'watch'

/** What is left of a rate limit. */
export interface Quota {
  remaining: number
  limit: number
  reset_at: Date
}

/** The rate limit of GitHub's REST API that a response reports; undefined if none is. GraphQL has points of its own. */
export function quotaIn(headers: Record<string, unknown>): Quota | undefined {
  const numberIn = (name: string) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
  const [remaining, limit, reset_s] = [numberIn('remaining'), numberIn('limit'), numberIn('reset')]
  if (headers['x-ratelimit-resource'] === 'graphql' || Number.isNaN(remaining + limit + reset_s))
    return undefined
  return { remaining, limit, reset_at: new Date(reset_s * 1000) }
}

/** Registers the two gauges. After the rate limit is reset, they are absent until the next response. */
export function githubQuota(registers: Registry[], clock: Clock) {
  const lowest = new Map<CallKind, Quota>()
  const gaugeOf = (field: 'remaining' | 'limit', help: string) =>
    new Gauge({
      name: `deconflict_github_quota_${field}`,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset()
        const now = clock()
        for (const [kind, reading] of lowest) if (reading.reset_at > now) this.set({ kind }, reading[field])
      },
    })
  gaugeOf('remaining', 'Requests left in the GitHub rate limit that has the fewest left, over all tokens.')
  gaugeOf('limit', 'The size of that rate limit.')
  return {
    /** Reads the rate limit headers of a response, if there are any. */
    observe(kind: CallKind, headers: Record<string, unknown>): void {
      const reading = quotaIn(headers)
      if (!reading) return
      const known = lowest.get(kind)
      if (!known || known.reset_at <= clock() || reading.remaining <= known.remaining)
        lowest.set(kind, reading)
    },
  }
}
