/** Records that are read at once, and again in an interval while the tab is visible. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { systemClock } from '../vocabulary/clock.ts'
import { type Problem, problemOf } from './api.ts'

export interface Polling<Data> {
  /** The last answer; null until the first one. */
  data: Data | null
  /** Why the last read failed; null after a success. */
  problem: Problem | null
  /** When the last read succeeded, by the reader's clock; null if none did. */
  read_at_ms: number | null
  /** Reads now. Resolves when a read that began after this call has ended, whether or not it succeeded. */
  refresh(): Promise<void>
}

/** `read` gets whether the user waits for the result. One read runs at a time, and none is aborted until the page leaves. */
export function usePolling<Data>(
  read: (signal: AbortSignal, isRequested: boolean) => Promise<Data>,
  interval_ms: number,
): Polling<Data> {
  const [data, setData] = useState<Data | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [read_at_ms, setReadAt] = useState<number | null>(null)
  const current = useRef<() => Promise<void>>(async () => {})
  useEffect(() => {
    const leaving = new AbortController()
    let running: Promise<void> | undefined
    /** Not earlier, because the service asked for it. */
    let not_before_ms = 0
    const readOnce = async (isRequested: boolean) => {
      try {
        const answer = await read(leaving.signal, isRequested)
        setData(() => answer)
        setProblem(null)
        setReadAt(systemClock().getTime())
      } catch (error) {
        if (leaving.signal.aborted) return
        const found = problemOf(error)
        not_before_ms = systemClock().getTime() + found.retry_after_ms
        setProblem(found)
      }
    }
    const start = (isRequested: boolean) => {
      running = readOnce(isRequested).finally(() => {
        running = undefined
      })
      return running
    }
    const poll = () => {
      if (!running && !document.hidden && systemClock().getTime() >= not_before_ms) void start(false)
    }
    current.current = async () => {
      while (running) await running
      await start(true)
    }
    void start(false)
    const timer = setInterval(poll, interval_ms)
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', poll)
      leaving.abort()
    }
  }, [read, interval_ms])
  return { data, problem, read_at_ms, refresh: () => current.current() }
}
