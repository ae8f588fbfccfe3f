/** Checks and creates: by the number of live activities, by clients, and next to pgbench. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianBinaries } from '../../../test/support/postgres.ts'
import { type Load, load, type Template } from '../load.ts'
import { shown } from '../measure.ts'
import type { Rig } from '../rig.ts'
import { createScript } from '../seed.ts'
import { activity, SHARED } from '../work.ts'

/** Creates per round at one size: more would change the size. */
const CREATES = 20
const address = (repository: string, rest = '') => `/api/v1/repos/acme/${repository}/activity${rest}`

export async function checkPart(rig: Rig): Promise<void> {
  const own = {
    areas: ['area-########'],
    paths: ['packages/q########/src/**', 'packages/q########/README.md'],
  }
  await bySize(rig, 'check.sparse', { label: 'check, sparse', of: (name) => checkOf(name, own), status: 200 })
  const all = { paths: [`${SHARED}/**`] }
  await bySize(rig, 'check.dense', {
    label: 'check, 13 % overlap',
    of: (name) => checkOf(name, all),
    status: 200,
  })
}

const checkOf = (name: string, scope: object): Template => ({
  path: address(name, '/check'),
  body: { scope, branch: 'check-########', base_branch: 'main' },
})

const createOf = (name: string): Template => ({
  path: address(name),
  body: activity('########', { paths: ['packages/n########/src/**', 'docs/n########.md'] }),
})

interface BySize {
  label: string
  of: (repository: string) => Template
  status: number
  count?: number
}

async function bySize(rig: Rig, id: string, { label, of, status, count }: BySize): Promise<void> {
  const service = await rig.service()
  const { live, round_ms: ms } = rig.sizes
  const variants = live.map((size) => {
    const task: Load = { requests: [of(`live-${size}`)], clients: 1, status, ms, ...(count && { count }) }
    const run = async () => {
      const { p50, p99, cpu } = await load(service, task)
      return { p50, p99, cpu }
    }
    return [size, { label: `${label}, ${shown(size)} live`, run }]
  })
  await rig.compare(id, Object.fromEntries(variants))
}

export async function createPart(rig: Rig): Promise<void> {
  await bySize(rig, 'create.size', { label: 'create', of: createOf, status: 201, count: CREATES })
  const service = await rig.service()
  const pgbench = await startPgbench(rig)
  if (pgbench === null) rig.say('  pgbench is not installed')
  for (const clients of rig.sizes.clients) {
    const task: Load = { requests: [createOf('created')], clients, status: 201, ms: rig.sizes.round_ms }
    const label = (what: string) => `create, ${clients} clients, ${what}`
    await rig.compare(`create.${clients}`, {
      service: { label: label('service'), run: () => load(service, task) },
      ...(pgbench && { pgbench: { label: label('pgbench'), run: () => pgbench(clients) } }),
    })
  }
}

/** PostgreSQL's load generator with the writes of a create, which is what the database can do at most. */
async function startPgbench(rig: Rig): Promise<((clients: number) => Promise<{ rate: number }>) | null> {
  const program = join(debianBinaries() ?? '', 'pgbench')
  if (!existsSync(program)) return null
  const url = await rig.database()
  const file = join(rig.scratch, 'create.sql')
  await writeFile(file, await createScript(url, rig.repository('baseline')))
  return async (clients) => {
    const base = (Date.now() % 1e9) * 1e9
    const given = ['-n', '-M', 'prepared', '-T', '1', '-f', file, '-D', `base=${base}`, '-D', 'n=0']
    const { stdout } = await promisify(execFile)(program, [...given, '-c', String(clients), url])
    const rate = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
    if (!(rate > 0)) throw new Error(`pgbench: ${stdout}`)
    return { rate }
  }
}
