/** The signal report of one repository: read when it is opened and then once a minute, whatever changes in between. */
import { useEffect, useState } from 'preact/hooks'
import type { Repository } from './api.ts'
import type { Signal } from './records.ts'

const INTERVAL_MS = 60_000

/** The signal report; null until it was first read. If a later read fails, the last report stays. */
export function useSignal(repository: Repository): Signal | null {
  const [report, setReport] = useState<Signal | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const read = () => repository.signal(leaving.signal).then(setReport, () => {})
    void read()
    const timer = setInterval(() => {
      if (!document.hidden) void read()
    }, INTERVAL_MS)
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [repository])
  return report
}
