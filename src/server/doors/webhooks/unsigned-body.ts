/** Reads bodies of unverified senders, with a limit per body and for all bodies together. */
import type { IncomingMessage } from 'node:http'
import { Failure } from '../../../vocabulary/failure.ts'

const BODY_MAX = 25 * 1024 * 1024

/** A body that is being received. */
interface Receiving {
  chunks: Buffer[]
  size: number
  refuse(failure: Failure): void
}

export class UnsignedBodies {
  readonly #max: number
  readonly #receiving = new Set<Receiving>()
  /** Bytes of the bodies being received or verified. */
  #held = 0

  /** `max`: bytes of all bodies together. Completing a body copies it, which is not counted. */
  constructor(max: number) {
    this.#max = max
  }

  /** Receives a body. Its bytes count until `release` is called with it. Throws `body_too_large`, `service_unavailable`. */
  async receive(req: IncomingMessage): Promise<Buffer> {
    refuseUnreadable(req)
    return new Promise((resolve, reject) => {
      const receiving: Receiving = {
        chunks: [],
        size: 0,
        refuse: (failure) => {
          if (!this.#receiving.delete(receiving)) return
          this.#held -= receiving.size
          receiving.chunks.length = 0
          // Discard the rest, so that the sender gets the response.
          req.off('data', keep).resume()
          reject(failure)
        },
      }
      const keep = (chunk: Buffer) => this.#keep(receiving, chunk)
      this.#receiving.add(receiving)
      req.on('data', keep)
      req.on('end', () => {
        if (this.#receiving.delete(receiving)) resolve(Buffer.concat(receiving.chunks))
      })
      req.on('close', () => receiving.refuse(incomplete()))
      if (req.closed) receiving.refuse(incomplete())
    })
  }

  release(body: Buffer): void {
    this.#held -= body.length
  }

  /** Adds a chunk to its body. Above the total limit, the largest body is rejected, so that GitHub's small deliveries get through. */
  #keep(receiving: Receiving, chunk: Buffer): void {
    receiving.chunks.push(chunk)
    receiving.size += chunk.length
    this.#held += chunk.length
    if (receiving.size > BODY_MAX) receiving.refuse(tooLarge())
    while (this.#held > this.#max && this.#receiving.size > 0) {
      const [largest] = [...this.#receiving].sort((a, b) => b.size - a.size)
      largest?.refuse(tooManyBytes())
    }
  }
}

/** Rejects a body that is declared as too large or compressed, without receiving it. */
function refuseUnreadable({ headers }: IncomingMessage): void {
  if (Number(headers['content-length']) > BODY_MAX) throw tooLarge()
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Failure('invalid_request', 'body: send it without Content-Encoding')
}

function incomplete(): Failure {
  return new Failure('invalid_request', 'body: the connection was closed before the body was complete')
}

function tooLarge(): Failure {
  return new Failure('body_too_large', 'body: must be at most 25 MB', { headers: { Connection: 'close' } })
}

function tooManyBytes(): Failure {
  return new Failure(
    'service_unavailable',
    'too many deliveries are being received at once; redeliver later',
    {
      headers: { 'Retry-After': '10', Connection: 'close' },
    },
  )
}
