/** The event streams of open pages: server-sent events with what changed in the repository on a page (WHATWG HTML, section 9.2). */
import type { RequestHandler, Response } from 'express'
import { Failure } from '../../../vocabulary/failure.ts'
import type { Caller } from '../../operations/admission.ts'
import { authorise } from '../../operations/authorise.ts'
import { changedCollisions, changedRecords } from '../../operations/changed-records.ts'
import type { App } from '../../repositories/app.ts'
import type { ChangedRepository } from '../../repositories/change-feed.ts'
import type { RepoContext } from '../../repositories/repo.ts'
import { EventBacklog } from './event-backlog.ts'

/** The maximum number of event streams that one instance serves at the same time. */
const STREAMS_MAX = 5000
/** How many of them one token may have, so that nobody takes the streams of all others. */
const STREAMS_OF_TOKEN_MAX = 50
/** How often each stream checks the permission and writes a comment, because proxies close connections without traffic. */
const CHECK_MS = 30_000

interface Stream {
  /** Writes if the caller may still read the repository, and ends the stream otherwise. Never rejects. */
  send(text: string): Promise<void>
  end(): void
  check: NodeJS.Timeout
  token_hash: string
}

/** The open streams of this instance, by the repository's GitHub id. */
export class EventStreams {
  readonly #app: App
  readonly #open = new Map<number, Set<Stream>>()
  readonly #records: EventBacklog
  readonly #collisions: EventBacklog
  /** The number of open streams of each token. */
  readonly #ofToken = new Map<string, number>()
  #count = 0

  constructor(app: App) {
    this.#app = app
    const sendAs = (name: string) => (repo_id: number, data: object | null) =>
      this.#sendTo(repo_id, data ? formatEvent(name, data) : formatEvent('outdated', {}))
    this.#records = new EventBacklog({ app, read: changedRecords, send: sendAs('changed') })
    const readCollisions = (ctx: RepoContext, ids: readonly string[]) =>
      changedCollisions(ctx, ids, app.comparisons)
    // Comparing takes longer, and a change is shown before its collisions are known.
    this.#collisions = new EventBacklog({ app, read: readCollisions, send: sendAs('compared') })
  }

  /**
   * `GET /events/:owner/:repo`: sends `hello` with the caller's permission. After changes it sends `changed`
   * (`ChangedRecords`) and then `compared` (`ChangedCollisions`), or `outdated` if the page has to read its lists again.
   * Permission is checked before each event, in the cache of permissions.
   */
  handler: RequestHandler = async (req, res) => {
    const { owner = '', repo = '' } = req.params as Record<string, string>
    const caller: Caller = res.locals.caller
    const admit = () =>
      authorise(this.#app, { access: 'read', record: null }, { caller, owner, repo, id: '' })
    const repository = await admit()
    // If the client has disconnected by now, its 'close' event has already fired.
    if (res.closed) return
    res.setHeader('Content-Type', 'text/event-stream')
    // A response to HEAD ends with its headers, so that the client can reuse the connection.
    if (req.method === 'HEAD') {
      res.end()
      return
    }
    if (this.#count >= STREAMS_MAX)
      throw new Failure('service_unavailable', 'too many open event streams; reload the page to update it', {
        headers: { 'Retry-After': '60' },
      })
    const token_hash = caller.token.hash
    if ((this.#ofToken.get(token_hash) ?? 0) >= STREAMS_OF_TOKEN_MAX)
      throw new Failure('rate_limited', 'too many open event streams with this token; close other pages', {
        headers: { 'Retry-After': '60' },
      })
    // Another repository can take over the name. Its page has to open a stream of its own.
    const send = (text: string) =>
      admit().then(
        ({ id }) => (id === repository.id ? write(res, text) : void res.end()),
        () => void res.end(),
      )
    const check = setInterval(() => void send(': keep-alive\n\n'), CHECK_MS)
    const stream: Stream = { send, end: () => res.end(), check, token_hash }
    this.#add(repository.id, stream)
    res.on('close', () => this.#remove(repository.id, stream))
    // Without this, a buffering proxy would hold back every event.
    res.setHeader('X-Accel-Buffering', 'no')
    res.flushHeaders()
    res.write(formatEvent('hello', { may_write: repository.may_write }))
  }

  /** Sends what changed to the pages of these repositories. Without `changes`, makes all pages read their lists again. */
  sendChanged(changes?: ChangedRepository[]): void {
    const all = () => [...this.#open.keys()].map((repo_id) => ({ repo_id, changed: 'any' as const }))
    for (const change of changes ?? all()) {
      if (!this.#open.has(change.repo_id)) continue
      this.#records.add(change)
      if (change.changed !== 'any') this.#collisions.add(change)
    }
  }

  /** Ends all streams, so that the service can stop; pages reconnect to another instance. */
  close(): void {
    this.#records.stop()
    this.#collisions.stop()
    for (const streams of this.#open.values()) for (const stream of streams) stream.end()
  }

  async #sendTo(repo_id: number, text: string): Promise<void> {
    await Promise.all([...(this.#open.get(repo_id) ?? [])].map((stream) => stream.send(text)))
  }

  #add(repo_id: number, stream: Stream): void {
    const streams = this.#open.get(repo_id) ?? new Set()
    this.#open.set(repo_id, streams.add(stream))
    this.#countOf(stream, 1)
    this.#app.metrics.open_pages.set(this.#count)
  }

  #remove(repo_id: number, stream: Stream): void {
    clearInterval(stream.check)
    const streams = this.#open.get(repo_id)
    if (streams?.delete(stream)) this.#countOf(stream, -1)
    this.#app.metrics.open_pages.set(this.#count)
    if (streams?.size === 0) this.#open.delete(repo_id)
  }

  #countOf({ token_hash }: Stream, by: 1 | -1): void {
    this.#count += by
    const left = (this.#ofToken.get(token_hash) ?? 0) + by
    if (left === 0) this.#ofToken.delete(token_hash)
    else this.#ofToken.set(token_hash, left)
  }
}

/** Writes unless the response has ended, which happens before the connection is closed. */
function write(res: Response, text: string): void {
  if (!res.writableEnded) res.write(text)
}

function formatEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
