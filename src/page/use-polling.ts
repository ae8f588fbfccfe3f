/** Records that are read at once, and again in an interval while the tab is visible. */
import { useEffect, useState } from 'preact/hooks'
import { type Problem, problemOf } from './api.ts'

/** `data`: the last answer; null until the first one. `problem`: why the last read failed; null after a success. */
export function usePolling<Data>(read: (signal: AbortSignal) => Promise<Data>, interval_ms: number) {
  const [data, setData] = useState<Data | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    let isReading = false
    const poll = async () => {
      // An answer may take longer than the interval, and must not replace a newer one.
      if (isReading) return
      isReading = true
      try {
        setData(await read(leaving.signal))
        setProblem(null)
      } catch (error) {
        if (!leaving.signal.aborted) setProblem(problemOf(error))
      } finally {
        isReading = false
      }
    }
    void poll()
    const timer = setInterval(() => {
      if (!document.hidden) void poll()
    }, interval_ms)
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [read, interval_ms])
  return { data, problem }
}
