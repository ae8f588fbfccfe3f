/** The address of an operation of the contract, and its query. Imports no schema, so that clients load fast. */
import type { Operation } from './operation.ts'

/** The page sends this header with every request; another site cannot make a browser send it. */
export const PAGE_HEADER = 'x-deconflict-page'

/** The fields of an operation that a client needs to send a request. */
export type Route = Pick<Operation, 'method' | 'path' | 'on' | 'is_idempotent'>

/** Relative to the root of the API: `/repos/{owner}/{repo}/activity/{id}`. */
export function routeOf({ on, path }: Pick<Route, 'on' | 'path'>): string {
  return on === 'repository' ? `/repos/{owner}/{repo}${path}` : path
}

/** The input of a GET as query parameters, which are text. Leaves out fields that are undefined. */
export function queryOf(input: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
