/** A connection to PostgreSQL that does not wait for ever for an answer that never comes (docs/reliability.md). */
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { stopwatch } from '../base/clock.ts'
import type { Address } from '../base/database-url.ts'

/** How long a server may take to accept a connection. */
const ACCEPT_MS = 5000
/** How long a connection is idle before the operating system begins to ask whether the other side is there. */
const KEEP_ALIVE_MS = 30_000
const LOOK_MS = 1000
/** More than is ever under way: postgres.js takes a connection whose buffer was full for a free one once it is not. */
const BUFFER_BYTES = 64 * 1024 * 1024

export interface Patience {
  silence_ms: number
  /** What watches the lines to the same server. */
  siblings: Set<Sibling>
}

export interface Sibling {
  cutIfSilent(): void
}

/** Ends what postgres.js waits for: a connection that could not be made. */
export class NoLine extends Duplex {
  readonly #reason: Error

  constructor(reason: Error) {
    super()
    this.#reason = reason
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: (error: Error) => void): void {
    done(this.#reason)
  }
}

/** A connection that is watched. `host`: postgres.js reads it, to check the certificate against. */
export type Line = Socket & { host: string }

/** A line to the address; rejects when nobody accepts there. */
export function openLine({ host, port }: Address, patience: Patience): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      // Sockets take it, as all streams do; their types do not say so.
      ...{ writableHighWaterMark: BUFFER_BYTES },
    })
    const late = setTimeout(() => socket.destroy(timedOut('nobody accepts the connection')), ACCEPT_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(late))
    socket.once('connect', () => {
      clearTimeout(late)
      watch(socket, patience)
      resolve(Object.assign(socket, { host }))
    })
  })
}

/**
 * Cuts the line when something was written and nothing was heard for `silence_ms`, and with it all of `siblings` that heard
 * nothing for as long: they lead to the same server. What is pipelined behind an answer begins to count with the next
 * question.
 */
function watch(socket: Socket, { silence_ms, siblings }: Patience): void {
  const elapsed = stopwatch()
  let heard_at = elapsed()
  let written = socket.bytesWritten
  /** When it was first seen that something is not answered. */
  let waiting_since: number | undefined
  const sibling = {
    cutIfSilent: () => {
      if (elapsed() - heard_at > silence_ms)
        socket.destroy(timedOut('the database accepts what is sent and does not answer'))
    },
  }
  siblings.add(sibling)
  socket.on('data', () => {
    heard_at = elapsed()
    written = socket.bytesWritten
    waiting_since = undefined
  })
  const look = setInterval(() => {
    if (socket.bytesWritten === written) return
    waiting_since ??= elapsed()
    if (elapsed() - waiting_since > silence_ms) for (const each of siblings) each.cutIfSilent()
  }, LOOK_MS).unref()
  socket.once('close', () => {
    clearInterval(look)
    siblings.delete(sibling)
  })
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}
