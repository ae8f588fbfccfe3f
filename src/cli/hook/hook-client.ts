/** The operations that hooks use, typed by the contract without loading its schemas. */
import type { Client, RequestOf } from '../../client/client.ts'
import { type ClientOptions, methodsOf } from '../../client/transport.ts'
import { shortHash } from '../../git/lock.ts'
import type { OPERATIONS, OperationName, OutputOf } from '../../vocabulary/contract/contract.ts'
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

type Retrieved = OutputOf<'getActivity'> & { etag: string | null }

export interface HookClient extends Pick<Client, keyof typeof ROUTES> {
  /** Null while the answer has the entity tag `known`. */
  getChanged(request: RequestOf<'getActivity'> & { known: string | null }): Promise<Retrieved | null>
}

export function createHookClient(options: ClientOptions): HookClient {
  const methods = methodsOf(ROUTES, options) as unknown as HookClient
  return { ...methods, getChanged: (request) => methods.getActivity(request) as Promise<Retrieved | null> }
}

/** The operations over one clone: what overlaps is its own entity tag. */
export function overClone(client: Client): HookClient {
  return {
    ...client,
    getChanged: async ({ known, ...request }) => {
      const answer = await client.getActivity(request)
      const etag = shortHash(JSON.stringify(answer.overlap))
      return etag === known ? null : { ...answer, etag }
    },
  }
}
