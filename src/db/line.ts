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
  /** The lines that lead to the same server. */
  siblings: Set<Line>
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

/**
 * Bytes to and from a server. It is cut when something was written and nothing was heard for `silence_ms`, and with it all
 * of `siblings` that heard nothing for as long: they lead to the same server. What is pipelined behind an answer begins to
 * count with the next question.
 */
export class Line extends Duplex {
  /** postgres.js reads it, to check the certificate against. */
  readonly host: string
  readonly #socket: Socket
  readonly #elapsed = stopwatch()
  readonly #watch: NodeJS.Timeout
  readonly #siblings: Set<Line>
  #asked_at: number | undefined
  #heard_at: number

  constructor(socket: Socket, host: string, { silence_ms, siblings }: Patience) {
    super({ writableHighWaterMark: BUFFER_BYTES })
    this.host = host
    this.#socket = socket
    this.#siblings = siblings.add(this)
    this.#heard_at = this.#elapsed()
    this.#watch = setInterval(() => {
      if (this.#asked_at === undefined || this.#elapsed() - this.#asked_at <= silence_ms) return
      for (const line of [this, ...siblings]) line.#cutAfter(silence_ms)
    }, LOOK_MS).unref()
    socket.on('data', (chunk) => {
      this.#asked_at = undefined
      this.#heard_at = this.#elapsed()
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** As a socket has it: postgres.js says goodbye to a server only where it reads `open`. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#asked_at ??= this.#elapsed()
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#watch)
    this.#siblings.delete(this)
    this.#socket.destroy()
    done(error)
  }

  #cutAfter(silence_ms: number): void {
    if (this.#elapsed() - this.#heard_at > silence_ms)
      this.destroy(timedOut('the database accepts what is sent and does not answer'))
  }
}

/** A line to the address; rejects when nobody accepts there. */
export function openLine({ host, port }: Address, patience: Patience): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    })
    const late = setTimeout(() => socket.destroy(timedOut('nobody accepts the connection')), ACCEPT_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(late))
    socket.once('connect', () => {
      clearTimeout(late)
      socket.off('error', reject)
      resolve(new Line(socket, host, patience))
    })
  })
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}
