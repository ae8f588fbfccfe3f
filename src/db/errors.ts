/** Tells what a database error means, without its message: that holds SQL and parameters. */
import { DrizzleQueryError } from 'drizzle-orm'
import { type Failure, unavailable } from '../base/failure.ts'

/** Classes of SQLSTATE that mean the database is away, overloaded or shutting down; sending again later is safe. */
const AWAY = /^(08|53|57P|58|40001|40P01|25006|57014|55P03)/

/** Those of them that no statement escapes, however little it touches. A lost connection (08006) of a cluster's own is to one node. */
const DOWN = /^(08(?!006)|53[13]|57P|25006)/

/** How libpq reports that a node of a cluster lost its connection to another; PostgreSQL passes that on as an internal error. */
const LOST_NODE =
  /^(server closed the connection|SSL connection has been closed|could not (receive data from|send data to) server|no connection to the server)/

/** postgres.js' and the socket's own codes for a connection that is not there. */
const NO_CONNECTION =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH)/

/** Codes whose cause an operator can see to, in words. */
const HINTS: Record<string, string> = {
  '53100': 'the disk of the database is full; make space, and the service goes on by itself',
  '53300': 'the database takes no more connections; raise its max_connections, or run fewer instances',
  '25006': 'the database takes no writes: it is a standby; name the primary in DATABASE_URL',
  CONNECTION_NO_PRIMARY: 'none of the addresses in DATABASE_URL takes writes',
}

/** The SQLSTATE, or the connection's code, of what a query threw; undefined when it was no database error. */
export function codeOf(error: unknown): string | undefined {
  const source = error instanceof DrizzleQueryError ? error.cause : error
  const { code, message } = (source ?? {}) as { code?: unknown; message?: string }
  if (code === 'XX000' && LOST_NODE.test(message ?? '')) return '08006'
  return typeof code === 'string' ? code : undefined
}

/** Whether a query failed because the database is away for now. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (AWAY.test(code) || NO_CONNECTION.test(code))
}

/** The failure to answer with, if a query failed because the database is away for now. */
export function databaseUnavailable(error: unknown): Failure | undefined {
  return isDatabaseAway(error) ? unavailable('the database is unavailable; try again', error) : undefined
}

/** Whether any other statement would fail now, too: the database is away, full, or takes no writes. */
export function isDatabaseDown(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (DOWN.test(code) || NO_CONNECTION.test(code))
}

/** What of a thrown value may be logged. The message and stack of a database error hold SQL and parameters, so its code stands for it. */
export function faultOf(error: unknown): { fault: string; code?: string; hint?: string; stack?: string } {
  if (!(error instanceof Error)) return { fault: typeof error }
  const code = codeOf(error)
  if (code !== undefined || error instanceof DrizzleQueryError)
    return { fault: error.name, code: code ?? 'unknown', ...hintOf(code) }
  return { fault: error.name, stack: error.stack ?? '' }
}

function hintOf(code: string | undefined): { hint?: string } {
  const hint = code === undefined ? undefined : HINTS[code]
  return hint === undefined ? {} : { hint }
}
