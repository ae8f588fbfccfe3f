/** Every operation of the API, written down a second time so that a change of `contract.ts` fails a test. */
import type { Answer } from './api.ts'
import type { TestService } from './service.ts'

export interface Route {
  name: string
  method: 'GET' | 'POST' | 'PATCH'
  /** Below the repository; `{id}` stands for the id of a record of the kind `record`, `{number}` for an issue. */
  path: string
  /** What a valid request adds to the path. */
  query?: string
  record: 'act' | 'ntb' | null
  access: 'read' | 'write' | 'admin'
  success: 200 | 201
  /** The status if the same exists already. */
  repeated?: 200
  /** The answer about a repository whose pull requests are not tracked, if it is another one. */
  untracked?: 404
  /** A valid body. */
  body?: Record<string, unknown>
}

export const ACTIVITY = { title: 'Retry payments', summary: 'Retries a payment twice.', actor: 'Ada' }
export const NOTABLE = {
  title: 'Migrations are frozen',
  summary: 'No schema change before Friday.',
  importance: 'high',
  category: 'migration',
}

const get = { method: 'GET', access: 'read', success: 200 } as const
const act = { method: 'POST', access: 'write', success: 200 } as const

/** Creates one record of each kind; returns their ids. */
export async function createRecords({ api }: Pick<TestService, 'api'>, base = '') {
  const activity = await api('POST', `${base}/activity`, { body: ACTIVITY })
  const notable = await api('POST', `${base}/notables`, { body: NOTABLE })
  return { act: activity.body.activity.id as string, ntb: notable.body.id as string }
}

export const ROUTES: Route[] = [
  { ...get, name: 'listActivities', path: '/activity', record: null },
  { ...get, name: 'checkOverlap', method: 'POST', path: '/activity/check', record: null, body: {} },
  { ...act, name: 'createActivity', path: '/activity', record: null, success: 201, body: ACTIVITY },
  { ...get, name: 'getActivity', path: '/activity/{id}', record: 'act' },
  { ...act, name: 'updateActivity', method: 'PATCH', path: '/activity/{id}', record: 'act', body: {} },
  { ...act, name: 'heartbeatActivity', path: '/activity/{id}/heartbeat', record: 'act' },
  {
    ...act,
    name: 'reserveNumber',
    path: '/activity/{id}/number',
    record: 'act',
    success: 201,
    repeated: 200,
    body: { directory: 'db/migrations' },
  },
  { ...act, name: 'archiveActivity', path: '/activity/{id}/archive', record: 'act' },
  { ...get, name: 'getIssue', path: '/issues/{number}', record: null },
  { ...get, name: 'listOverlaps', path: '/overlaps', record: null },
  { ...get, name: 'getMergeOrder', path: '/merge-order', record: null },
  { ...get, name: 'listNotables', path: '/notables', record: null },
  { ...act, name: 'createNotable', path: '/notables', record: null, success: 201, body: NOTABLE },
  { ...get, name: 'getNotable', path: '/notables/{id}', record: 'ntb' },
  { ...act, name: 'updateNotable', method: 'PATCH', path: '/notables/{id}', record: 'ntb', body: {} },
  { ...act, name: 'archiveNotable', path: '/notables/{id}/archive', record: 'ntb' },
  { ...get, name: 'getSignal', path: '/signal', record: null },
  {
    ...get,
    name: 'explainPullRequest',
    path: '/why',
    query: '?pull_request=7',
    record: null,
    untracked: 404,
  },
  { ...get, name: 'getSettings', path: '/settings', record: null },
  { ...act, name: 'leaveRepository', path: '/farewell', record: null, access: 'admin' },
]

/** A well-formed id that no record has. */
export function unknownId(record: 'act' | 'ntb'): string {
  return `${record}_01h455vb4pex5vsknk084sn02q`
}

export function pathOf(route: Route, ids: Partial<Record<'act' | 'ntb', string>> = {}): string {
  return route.record === null
    ? `${route.path.replace('{number}', '7')}${route.query ?? ''}`
    : route.path.replace('{id}', ids[route.record] ?? unknownId(route.record))
}

/** `{[name]: '404 not_found'}` for the routes, called one after the other; without an error the status alone. */
export async function outcomes(
  routes: Route[],
  ask: (route: Route) => Promise<Answer>,
): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const route of routes) all[route.name] = outcome(await ask(route))
  return all
}

export function outcome({ status, body }: Answer): string {
  return body?.error ? `${status} ${body.error.type}` : String(status)
}

/** Calls a route as `api` does, by default with a valid body. */
export function call(
  service: Pick<TestService, 'api'>,
  route: Route,
  options: Parameters<TestService['api']>[2] & { ids?: Partial<Record<'act' | 'ntb', string>> } = {},
): Promise<Answer> {
  const { ids, ...rest } = options
  return service.api(route.method, pathOf(route, ids), { body: route.body, ...rest })
}
