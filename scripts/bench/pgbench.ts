/** Runs pgbench, PostgreSQL's load generator, with prepared statements: the upper bound of the database. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export interface PgbenchRun {
  url: string
  /** A pgbench script; `:name` is a variable. */
  script: string
  variables: Record<string, string>
  clients: number
  ms: number
}

export interface PgbenchResult {
  per_second: number
  /** Mean, in milliseconds. */
  latency: number
}

/** The path of the newest installed pgbench. */
export function findPgbench(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const newestFirst = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : []
  const places = [
    ...newestFirst.map((version) => join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return places.map((place) => join(place, 'pgbench')).find((file) => existsSync(file))
}

export async function runPgbench(program: string, scratch: string, run: PgbenchRun): Promise<PgbenchResult> {
  const file = join(scratch, 'pgbench.sql')
  await writeFile(file, run.script)
  const seconds = Math.max(1, Math.round(run.ms / 1000))
  const variables = Object.entries(run.variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const flags = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(run.clients),
    '-j',
    '1',
    '-T',
    String(seconds),
    '-f',
    file,
  ]
  const { stdout } = await promisify(execFile)(program, [...flags, ...variables, run.url])
  const per_second = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
  const latency = Number(/latency average = ([\d.]+) ms/.exec(stdout)?.[1])
  const failed = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0)
  if (!(per_second > 0) || failed > 0) throw new Error(`pgbench: ${stdout}`)
  return { per_second, latency }
}
