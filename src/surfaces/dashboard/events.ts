/** Tells pages that something changed in the repository they show, as server-sent events (WHATWG HTML §9.2). */
import type { RequestHandler, Response } from 'express'
import { Failure } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import type { Caller } from '../../operations/admission.ts'
import { authorise } from '../../operations/perform.ts'

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
    const { owner = '', repo = '' } = req.params as Record<string, string>
    const caller: Caller = res.locals.caller
    const see = () => authorise(this.#app, { access: 'read', record: null }, { caller, owner, repo, id: '' })
    const repository = await see()
    // A client that left meanwhile has had its 'close' already.
    if (res.closed) return
    if (this.#count >= STREAMS_MAX)
      throw new Failure('service_unavailable', 'too many pages are open here; reload from time to time', {
        headers: { 'Retry-After': '60' },
      })
    const check = setInterval(() => {
      see().then(
        () => send(res, ': still here\n\n'),
        () => res.end(),
      )
    }, CHECK_MS)
    const stream = { res, check }
    this.#add(repository.id, stream)
    res.on('close', () => this.#remove(repository.id, stream))
    res.setHeader('Content-Type', 'text/event-stream')
    // A proxy that collects an answer before it passes it on would hold back every event.
    res.setHeader('X-Accel-Buffering', 'no')
    res.flushHeaders()
    res.write(eventOf('hello', { may_write: repository.may_write }))
  }

  /** Tells the pages of these repositories, or all pages where something may have been missed. */
  tell(repo_ids?: number[]): void {
    for (const id of repo_ids ?? this.#open.keys())
      for (const { res } of this.#open.get(id) ?? []) send(res, eventOf('changed', {}))
  }

  /** Ends all, so that the service can stop; pages connect again. */
  close(): void {
    for (const streams of this.#open.values()) for (const { res } of streams) res.end()
  }

  #add(repo_id: number, stream: Stream): void {
    const streams = this.#open.get(repo_id) ?? new Set()
    this.#open.set(repo_id, streams.add(stream))
    this.#count += 1
    this.#app.metrics.open_pages.set(this.#count)
  }

  #remove(repo_id: number, stream: Stream): void {
    clearInterval(stream.check)
    const streams = this.#open.get(repo_id)
    if (streams?.delete(stream)) this.#count -= 1
    this.#app.metrics.open_pages.set(this.#count)
    if (streams?.size === 0) this.#open.delete(repo_id)
  }
}

/** A stream that was ended takes nothing more, though it is not closed yet. */
function send(res: Response, text: string): void {
  if (!res.writableEnded) res.write(text)
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
