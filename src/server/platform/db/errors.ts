/** Classifies database errors by their codes. Their messages contain SQL and parameters, so they are never shown or logged. */
import { DrizzleQueryError } from 'drizzle-orm'
import { type Failure, unavailable } from '../../../vocabulary/failure.ts'

/** SQLSTATE classes that mean the database is unavailable, overloaded or shutting down. A later retry is safe. */
const TRANSIENT = /^(08|28|3D|53|57P|58|40001|40P01|25006|57014|55P03)/

/** The transient codes that make every statement fail. A connection that was lost inside a cluster (08006) affects only one node. */
const DOWN = /^(08(?!006)|28|3D|53[13]|57P|25006)/

/** Messages of libpq, and of Citus within a transaction, when a node lost its connection to another node: reported as internal errors. */
const LOST_NODE =
  /^(server closed the connection|SSL connection has been closed|could not (receive data from|send data to) server|no connection to the server|failure on connection marked as essential|could not commit transaction for shard)/

/** Codes of postgres.js, of sockets and of TLS for a missing connection. */
const NO_CONNECTION =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|EPROTO|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_(SSL|TLS)_)/

/** The error for a missing connection. */
export function connectionError(code: `CONNECTION_${string}`, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Hints for codes whose cause an operator can fix. */
const HINTS: Record<string, string> = {
  '28000': 'the database does not let this user in, or only with TLS: add ?sslmode=require',
  '28P01': 'the database rejects the user or the password',
  '22P05': 'the encoding of the database is not UTF8; create a database whose encoding is UTF8',
  '3D000': 'the database does not exist; create it, or correct its name',
  '53100': 'the disk of the database is full; free some space, and the service recovers by itself',
  '53300': 'the database accepts no more connections; raise its max_connections, or run fewer instances',
  '25006': 'the database is a standby and accepts no writes; set DATABASE_URL to the primary',
  CONNECTION_NO_PRIMARY:
    'none of the addresses in DATABASE_URL accepts writes; check which server is the primary',
}

/** The SQLSTATE or connection error code of an exception; undefined if it is not a database error. */
export function codeOf(error: unknown): string | undefined {
  const source = error instanceof DrizzleQueryError ? error.cause : error
  const { code, message } = (source ?? {}) as { code?: unknown; message?: string }
  if (code === 'XX000' && LOST_NODE.test(message ?? '')) return '08006'
  return typeof code === 'string' ? code : undefined
}

/** The failure to respond with if the database is temporarily unavailable; undefined for other errors. */
export function databaseUnavailable(error: unknown): Failure | undefined {
  const code = codeOf(error)
  if (code === undefined || !(TRANSIENT.test(code) || NO_CONNECTION.test(code))) return undefined
  return unavailable('the database is unavailable; try again', error)
}

/** Whether every other statement would fail now too: the database is unavailable, full, or accepts no writes. */
export function isDatabaseDown(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (DOWN.test(code) || NO_CONNECTION.test(code))
}

/** The loggable fields of an exception. The message and stack of a database error contain SQL and parameters, so only its code is logged. */
export function faultOf(error: unknown): { fault: string; code?: string; hint?: string; stack?: string } {
  if (!(error instanceof Error)) return { fault: typeof error }
  const code = codeOf(error) ?? (error instanceof DrizzleQueryError ? 'unknown' : undefined)
  if (code !== undefined)
    return { fault: error.name, code, ...(HINTS[code] !== undefined && { hint: HINTS[code] }) }
  return { fault: error.name, stack: error.stack ?? '' }
}
