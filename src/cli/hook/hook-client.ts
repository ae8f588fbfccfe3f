/** The operations that hooks use, typed by the contract without loading its schemas. */
import type { Client } from '../../client/client.ts'
import { type ClientOptions, methodsOf } from '../../client/transport.ts'
import type { OPERATIONS, OperationName } from '../../vocabulary/contract/contract.ts'
import type { Route } from '../../vocabulary/contract/route.ts'

const on = 'repository'
const ROUTES = {
  createActivity: { method: 'POST', path: '/activity', is_idempotent: true, on },
  checkOverlap: { method: 'POST', path: '/activity/check', is_idempotent: false, on },
  getActivity: { method: 'GET', path: '/activity/{id}', is_idempotent: false, on },
  updateActivity: { method: 'PATCH', path: '/activity/{id}', is_idempotent: false, on },
  archiveActivity: { method: 'POST', path: '/activity/{id}/archive', is_idempotent: false, on },
  getIssue: { method: 'GET', path: '/issues/{number}', is_idempotent: false, on },
  getNotable: { method: 'GET', path: '/notables/{id}', is_idempotent: false, on },
  // Does not compile if a route differs from the contract's.
} as const satisfies { [Name in OperationName]?: Pick<(typeof OPERATIONS)[Name], keyof Route> }

export type HookClient = Pick<Client, keyof typeof ROUTES>

export function createHookClient(options: ClientOptions): HookClient {
  return methodsOf(ROUTES, options) as HookClient
}
