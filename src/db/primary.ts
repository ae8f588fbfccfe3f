/** Finds, of several addresses of a PostgreSQL cluster, the one that takes writes (docs/reliability.md: standby). */
import postgres from 'postgres'
import type { Address } from '../base/database-url.ts'
import { openLine } from './line.ts'

/** How long one address may take to say what it is. */
const ANSWER_S = 3

/** Nobody takes writes for now. The code is one of a connection that is not there. */
function noPrimary(): Error {
  return Object.assign(new Error('no address of DATABASE_URL takes writes'), {
    code: 'CONNECTION_NO_PRIMARY',
  })
}

/**
 * Answers a function that finds the primary. With one address that is it. Of several all are asked at once, and of those
 * that take writes the first in the order given is taken; whoever asks meanwhile shares the answer. Rejects when none does.
 */
export function findingPrimary(url: string, addresses: Address[]): () => Promise<Address> {
  let asking: Promise<Address> | undefined
  const only = addresses.length === 1 ? addresses[0] : undefined
  const find = async () => {
    const answers = addresses.map((address) => takesWrites(url, address))
    for (const [index, answer] of answers.entries()) if (await answer) return addresses[index] as Address
    throw noPrimary()
  }
  return async () => {
    if (only) return only
    asking ??= find().finally(() => {
      asking = undefined
    })
    return asking
  }
}

async function takesWrites(url: string, address: Address): Promise<boolean> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: ANSWER_S,
    fetch_types: false,
    onnotice: () => {},
    // Also where the address of the service itself asks for more: any server may say what it is.
    target_session_attrs: undefined,
    socket: () => openLine(address, { silence_ms: ANSWER_S * 1000, siblings: new Set() }),
  } as postgres.Options<Record<string, never>>)
  try {
    const [row] = await client`show transaction_read_only`
    return row?.transaction_read_only === 'off'
  } catch {
    return false
  } finally {
    await client.end({ timeout: 0 })
  }
}
