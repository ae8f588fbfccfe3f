/** The event stream of one repository: the user's permission, and what changed. */
import { createParser } from 'eventsource-parser'
import { encodeRepository, reportUnauthorized, requestHeaders } from './api.ts'
import type { Change } from './records.ts'
import { whenVisible, whileVisible } from './visibility.ts'

const RETRY_MIN_MS = 3000
const RETRY_MAX_MS = 60_000
/** The service writes at least every 30 seconds; a connection that is silent for longer is dead. */
const IDLE_TIMEOUT_MS = 75_000

export interface StreamListener {
  onOpen(may_write: boolean): void
  onChange(change: Change): void
  /** Something changed, but the event does not say what. */
  onOutdated(): void
  /** The stream ended; it is opened again after a wait. */
  onLost(): void
  /** The tab was hidden, so the stream was closed. */
  onHidden(): void
  /** The tab is visible again, and the stream is being opened. */
  onVisible(): void
}

/** Follows the stream while the tab is visible, until `signal` is aborted. */
export async function followEvents(
  name: string,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  let wait_ms = RETRY_MIN_MS
  const opened: StreamListener['onOpen'] = (may_write) => {
    wait_ms = RETRY_MIN_MS
    listener.onOpen(may_write)
  }
  while (!signal.aborted) {
    if (document.hidden) {
      listener.onHidden()
      await whenVisible(signal)
      if (!signal.aborted) listener.onVisible()
    }
    await whileVisible(signal, (open) => readEvents(name, { ...listener, onOpen: opened }, open)).catch(
      () => {},
    )
    if (signal.aborted) return
    if (document.hidden) continue
    listener.onLost()
    // Spread out, so that the pages of a restarted service do not all come back at once.
    const jitter = 1 + Math.random()
    await new Promise((resolve) => setTimeout(resolve, wait_ms * jitter))
    wait_ms = Math.min(2 * wait_ms, RETRY_MAX_MS)
  }
}

/** Reads one connection to its end. */
async function readEvents(
  name: string,
  { onOpen, onChange, onOutdated }: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const idle = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS)
  }
  restartTimer()
  try {
    const response = await fetch(`/events/${encodeRepository(name)}`, {
      headers: requestHeaders(),
      signal: AbortSignal.any([signal, idle.signal]),
    })
    reportUnauthorized(response)
    if (!response.ok || !response.body) return
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'hello') onOpen(JSON.parse(data).may_write)
        if (event === 'changed' || event === 'compared') onChange(JSON.parse(data))
        if (event === 'outdated') onOutdated()
      },
    })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      restartTimer()
      parser.feed(chunk.value)
    }
  } finally {
    clearTimeout(timer)
  }
}
