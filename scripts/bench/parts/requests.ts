/** Creates, heartbeats, lists and retrievals, next to pgbench and bare node with the same statements. */
import type { OperationName } from '../../../src/vocabulary/contract/contract.ts'
import { startTask } from '../child.ts'
import type { Template } from '../load.ts'
import { pgbenchScript, recordStatements, type Script, type Statement } from '../record.ts'
import type { Rig } from '../rig.ts'
import { numberedId } from '../seed.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'
import { CREATED, create, heartbeat, list, retrieve, SHARED } from '../work.ts'

/** Records of the busy repository that requests use in rotation. */
const RECORDS = 2000

interface Route {
  name: OperationName
  label: string
  input: unknown
  requests: Template[]
  status: number
  /** Selects the statements that pgbench runs; the others are reads for the response. */
  essential(statement: string): boolean
  createsRecords: boolean
}

const isWrite = (statement: string) => /^(begin|commit)|\binsert into\b|\bupdate "activities"/.test(statement)

export async function createPart(rig: Rig): Promise<void> {
  await routePart(rig, {
    name: 'createActivity',
    label: 'create',
    input: JSON.parse(JSON.stringify(CREATED).replaceAll('########', '00000001')),
    requests: [create('created')],
    status: 201,
    essential: isWrite,
    createsRecords: true,
  })
}

export async function requestsPart(rig: Rig): Promise<void> {
  const ids = await idsWithoutOverlap(rig)
  const of = { input: {}, status: 200, createsRecords: false }
  await heartbeats(rig, {
    ...of,
    name: 'heartbeatActivity',
    label: 'heartbeat',
    requests: ids.map((id) => heartbeat('busy', id)),
    essential: isWrite,
  })
  await routePart(rig, {
    ...of,
    name: 'listActivities',
    label: 'list of 50',
    requests: [list('busy')],
    essential: () => true,
  })
  await routePart(rig, {
    ...of,
    name: 'getActivity',
    label: 'retrieve',
    requests: ids.map((id) => retrieve('busy', id)),
    essential: () => true,
  })
  const { url, pid } = await rig.service()
  const bySize = [...rig.names.live].map(([size, name]): [string, Variant] => [
    String(size),
    {
      kind: 'http',
      label: `list of 50, ${size} live`,
      urls: [url],
      pid,
      status: 200,
      requests: [list(name)],
    },
  ])
  await sideBySide(rig, 'list.size', { variants: Object.fromEntries(bySize), clients: 1, notes: 'latency' })
}

/** Ids of records without overlap. */
async function idsWithoutOverlap(rig: Rig): Promise<string[]> {
  const sql = await rig.sql()
  const rows = await sql<{ id: string }[]>`select id from activities
    where repo_id = ${rig.names.busy.id} and scope::text not like ${`%${SHARED}%`} order by id limit ${RECORDS}`
  return rows.map(({ id }) => id)
}

/** Also measures the share of heap-only (HOT) updates, which write no index. */
async function heartbeats(rig: Rig, route: Route): Promise<void> {
  const sql = await rig.sql()
  const read = async () => {
    await sql`select pg_stat_clear_snapshot()`
    const [row] = await sql<{ updates: number; hot: number }[]>`
      select n_tup_upd::int as updates, n_tup_hot_upd::int as hot
      from pg_stat_user_tables where relname = 'activities'`
    return row ?? { updates: 0, hot: 0 }
  }
  const before = await read()
  await routePart(rig, route)
  const after = await read()
  const hot = ((after.hot - before.hot) / (after.updates - before.updates)) * 100
  rig.results.add('heartbeat.hot', 'heartbeat, heap-only updates', '%', [hot])
}

/** One route by number of clients: the service, bare node with its statements, and pgbench with the essential ones. */
async function routePart(rig: Rig, route: Route): Promise<void> {
  const { url, pid } = await rig.service()
  const { busy, baseline } = rig.names
  const database_url = await rig.database()
  const id = /act_\w+/.exec(route.requests[0]?.path ?? '')?.[0] ?? ''
  const recorded = await recordStatements(database_url, {
    name: route.name,
    repository: route.createsRecords ? baseline : busy,
    id,
    input: route.input,
  })
  const created_id = route.createsRecords ? (JSON.parse(recorded.body).activity.id as string) : id
  const essential = recorded.statements.filter(({ sql }) => route.essential(sql))
  const setUp = {
    kind: 'statements',
    database_url,
    // For creates only the writes: all records of a baseline claim the same paths, and reads would find all of them.
    statements: route.createsRecords ? essential : recorded.statements,
    id: created_id,
    fresh_ids: route.createsRecords,
  }
  const bare = await startTask<never, { url: string }>('baseline', { setUp })
  const http = { kind: 'http' as const, requests: route.requests }
  const script = rig.pgbench && scriptOf(rig, route, { essential, id: created_id })
  for (const clients of rig.options.sizes.clients) {
    const label = (what: string) => `${route.label}, ${clients} clients, ${what}`
    const variants: Record<string, Variant> = {
      service: { ...http, label: label('service'), urls: [url], pid, status: route.status },
      bare: {
        ...http,
        label: label(route.createsRecords ? 'bare node, writes only' : 'bare node, same SQL'),
        urls: [bare.greeting.url],
        pid: bare.pid,
        status: 200,
      },
      ...(script && { pgbench: { kind: 'pgbench', label: label('pgbench'), script } }),
    }
    await sideBySide(rig, `${KEYS[route.name]}.${clients}`, { variants, clients, notes: 'rate' })
  }
  if (!script) rig.results.skip(`pgbench, ${route.label}`, 'it is not installed')
  await bare.close()
}

const KEYS: Partial<Record<OperationName, string>> = {
  createActivity: 'create',
  heartbeatActivity: 'heartbeat',
  listActivities: 'list',
  getActivity: 'retrieve',
}

function scriptOf(rig: Rig, route: Route, { essential, id }: { essential: Statement[]; id: string }): Script {
  if (route.createsRecords) {
    // Ids increase per client, like those of the service.
    const fresh = numberedId(':base::bigint + :client_id * 100000 + :n::bigint')
    return pgbenchScript(essential, { id, fresh, preamble: '\\set n :n + 1' })
  }
  const preamble = `\\set k random(1, ${rig.names.busy.size})`
  return pgbenchScript(essential, { id, fresh: numberedId(':k::bigint'), preamble })
}
