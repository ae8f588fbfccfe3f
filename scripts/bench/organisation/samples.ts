/** Samples of a deployment under load: its queue, connections, memory and processor time. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { cpuSeconds, memoryOf } from '../child.ts'

export interface Sample {
  /** Due jobs of deliveries and rechecks, and of imports and reconciliations. */
  live: number
  rest: number
  /** How long the live job has been due that has been due longest, in seconds. */
  oldest_s: number
  connections: number
  /** Resident memory of each instance, in MB. */
  memory: number[]
}

/** Processor time since the start of the process, in seconds. */
export interface ProcessorTime {
  instances: number
  postgres: number
  github: number
}

export interface Sampler {
  /** Samples every `every_ms` until `stopped` is aborted. */
  run(every_ms: number, stopped: AbortSignal): Promise<Sample[]>
  take(): Promise<Sample>
  processorTime(): ProcessorTime
  /** Rows and megabytes with indexes, by table, the largest first. */
  tables(): Promise<{ name: string; rows: number; megabytes: number }[]>
  close(): Promise<void>
}

export async function openSampler(
  url: string,
  { instances, github }: { instances: number[]; github: number },
): Promise<Sampler> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const postmaster = parentOf(backend?.pid ?? 0)
  const take = async (): Promise<Sample> => {
    const [counts] = await sql<Omit<Sample, 'memory'>[]>`
      select count(*) filter (where is_live)::int as live, count(*) filter (where not is_live)::int as rest,
        coalesce(extract(epoch from now() - min(run_at) filter (where is_live)), 0)::float as oldest_s,
        (select count(*)::int from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()) as connections
      from (select run_at, priority < 2 as is_live from jobs where state = 'pending' and run_at <= now()) as due`
    if (!counts) throw new Error('no sample')
    return { ...counts, memory: instances.map((pid) => memoryOf(pid).current) }
  }
  return {
    take,
    async run(every_ms, stopped) {
      const samples: Sample[] = []
      while (!stopped.aborted) {
        samples.push(await take())
        await wait(every_ms, undefined, { signal: stopped }).catch(() => {})
      }
      return samples
    },
    processorTime: () => ({
      instances: sum(instances.map(cpuSeconds)),
      postgres: familyCpuSeconds(postmaster),
      github: cpuSeconds(github),
    }),
    async tables() {
      const names = await sql<{ name: string; bytes: number }[]>`
        select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc`
      const tables = []
      for (const { name, bytes } of names) {
        const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(name)}`
        tables.push({ name, rows: row?.rows ?? 0, megabytes: bytes / 1e6 })
      }
      return tables
    },
    close: () => sql.end(),
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** The fields of `/proc/PID/stat` after the name of the program. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

const TICKS_PER_S = 100

/** The processor time of a process and its children, ended ones included. NaN on systems other than Linux. */
function familyCpuSeconds(pid: number): number {
  const [own = Number.NaN, ended = Number.NaN] = [cpuSeconds(pid), endedChildren(pid)]
  if (Number.isNaN(own)) return own
  const children = readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && parentOf(each) === pid)
  return own + ended + sum(children.map(cpuSeconds).filter((seconds) => !Number.isNaN(seconds)))
}

function endedChildren(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S
}
