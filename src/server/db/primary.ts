/** Finds, of several addresses of a PostgreSQL cluster, the one that accepts writes (docs/reliability.md: standby). */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import type { Address } from '../base/database-url.ts'

/** Timeout of the query to one address. */
const ANSWER_S = 3

/**
 * Returns a function that finds the primary. A single address is returned without a query. Several are queried at once, and
 * the first in the given order that accepts writes is used. Concurrent callers share the result. It rejects if none accepts
 * writes.
 */
export function findingPrimary(url: string, addresses: Address[]): () => Promise<Address> {
  let search: Promise<Address> | undefined
  const only = addresses.length === 1 ? addresses[0] : undefined
  const find = async () => {
    const answers = addresses.map((address) => acceptsWrites(url, address))
    for (const [index, answer] of answers.entries()) if (await answer) return addresses[index] as Address
    throw noPrimary()
  }
  return async () => {
    if (only) return only
    search ??= find().finally(() => {
      search = undefined
    })
    return search
  }
}

/**
 * A socket to the address, for the `socket` option of postgres.js. postgres.js would wait forever if this rejected, so on
 * failure it resolves to a stream that fails the first write.
 */
export async function socketTo(find: () => Promise<Address>): Promise<Duplex> {
  try {
    const { host, port } = await find()
    const socket = connect({ host, port, noDelay: true })
    const timeout = setTimeout(() => socket.destroy(new Error('the connection timed out')), ANSWER_S * 1000)
    await once(socket, 'connect').finally(() => clearTimeout(timeout))
    // postgres.js verifies the certificate against `host`.
    return Object.assign(socket, { host })
  } catch (error) {
    return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error as Error) })
  }
}

function noPrimary(): Error {
  return Object.assign(new Error('no address of DATABASE_URL accepts writes'), {
    code: 'CONNECTION_NO_PRIMARY',
  })
}

async function acceptsWrites(url: string, { host, port }: Address): Promise<boolean> {
  const client = postgres(url, {
    host: [host],
    port: [port],
    max: 1,
    connect_timeout: ANSWER_S,
    fetch_types: false,
    onnotice: () => {},
    // A standby must answer too, even if DATABASE_URL asks for a primary.
    target_session_attrs: undefined,
  } as unknown as postgres.Options<Record<string, never>>)
  const answer = client`show transaction_read_only`.then(
    ([row]) => row?.transaction_read_only === 'off',
    () => false,
  )
  try {
    return await Promise.race([answer, wait(ANSWER_S * 1000, false, { ref: false })])
  } finally {
    await client.end({ timeout: 0 })
  }
}
