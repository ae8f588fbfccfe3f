/** Tells pages that something changed in the repository they show, as server-sent events (WHATWG HTML §9.2). */
import type { Request, RequestHandler, Response } from 'express'
import { Failure } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import { tokenOf } from '../../github/access.ts'

/** Pages that one instance serves at the same time. */
const STREAMS_MAX = 5000
/** Proxies cut connections that say nothing; and whoever lost access is to hear nothing more. */
const CHECK_MS = 30_000

interface Stream {
  res: Response
  check: NodeJS.Timeout
}

/** The pages that are open, by GitHub's id of the repository. */
export class Streams {
  readonly #app: App
  readonly #open = new Map<number, Set<Stream>>()
  #count = 0

  constructor(app: App) {
    this.#app = app
  }

  /** `GET /events/:owner/:repo`: `hello` with what the caller may do, then `changed` whenever something did. */
  handler: RequestHandler = async (req, res) => {
    const repository = await this.#see(req)
    if (this.#count >= STREAMS_MAX)
      throw new Failure('service_unavailable', 'too many pages are open here; reload from time to time', {
        headers: { 'Retry-After': '60' },
      })
    res.setHeader('Content-Type', 'text/event-stream')
    // A proxy that collects an answer before it passes it on would hold back every event.
    res.setHeader('X-Accel-Buffering', 'no')
    res.flushHeaders()
    res.write(eventOf('hello', { may_write: repository.may_write }))
    const check = setInterval(() => {
      this.#see(req).then(
        () => res.write(': still here\n\n'),
        () => res.end(),
      )
    }, CHECK_MS)
    const stream = { res, check }
    this.#add(repository.id, stream)
    res.on('close', () => this.#remove(repository.id, stream))
  }

  /** Tells the pages of these repositories, or all pages where something may have been missed. */
  tell(repo_ids?: number[]): void {
    for (const id of repo_ids ?? this.#open.keys())
      for (const { res } of this.#open.get(id) ?? []) res.write(eventOf('changed', {}))
  }

  /** Ends all, so that the service can stop; pages connect again. */
  close(): void {
    for (const streams of this.#open.values()) for (const { res } of streams) res.end()
  }

  async #see(req: Request) {
    const secret = /^bearer +([\x21-\x7e]{1,2000}) *$/i.exec(req.headers.authorization ?? '')?.[1]
    if (secret === undefined) throw new Failure('unauthorized', 'sign in, or send a GitHub token')
    const { owner = '', repo: name = '' } = req.params as Record<string, string>
    const repository = await this.#app.access.repository(tokenOf(secret), { owner, name, access: 'read' })
    if (!repository) throw new Failure('forbidden', 'this token cannot see the repository')
    return repository
  }

  #add(repo_id: number, stream: Stream): void {
    const streams = this.#open.get(repo_id) ?? new Set()
    this.#open.set(repo_id, streams.add(stream))
    this.#count += 1
  }

  #remove(repo_id: number, stream: Stream): void {
    clearInterval(stream.check)
    const streams = this.#open.get(repo_id)
    if (streams?.delete(stream)) this.#count -= 1
    if (streams?.size === 0) this.#open.delete(repo_id)
  }
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
