/** The books of a fault: what was sent, acknowledged and refused, and what of it is there afterwards (issue: it holds). */
import { appendFileSync } from 'node:fs'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file in which the rows of this run are collected, a JSON text a line. */
    request_counts: string
  }
}

/** One line of the table that `npm run test:faults` ends with. */
export interface Row {
  fault: string
  load: string
  requests: number
  acknowledged: number
  /** Status → how many; `none` stands for requests that got no answer. */
  refused: Record<string, number>
  lost: number
  duplicated: number
}

export interface RequestCounts {
  /** Notes a request and its answer: null stands for none. `key` names the record that it was to make, `of` the answers that count as made. */
  record(status: number | null, key?: string): void
  /** The keys of all that was acknowledged. */
  acknowledged: Set<string>
  refused: Record<string, number>
  /**
   * Closes the books with what is there, by key: what was acknowledged and is missing is lost, what is there more than
   * once is doubled. Writes the row and answers it.
   */
  report(stored: string[]): Row
}

/** Opens the books. */
export function countRequests(fault: string, load: string): RequestCounts {
  const acknowledged = new Set<string>()
  const refused: Record<string, number> = {}
  let requests = 0
  let answered = 0
  return {
    acknowledged,
    refused,
    record(status, key) {
      requests += 1
      if (status !== null && status < 300) {
        answered += 1
        if (key !== undefined) acknowledged.add(key)
        return
      }
      const name = status === null ? 'none' : String(status)
      refused[name] = (refused[name] ?? 0) + 1
    },
    report(stored) {
      const there = new Set(stored)
      const lost = [...acknowledged].filter((key) => !there.has(key)).length
      const duplicated = stored.length - there.size
      const row = { fault, load, requests, acknowledged: answered, refused, lost, duplicated }
      appendFileSync(inject('request_counts'), `${JSON.stringify(row)}\n`)
      return row
    },
  }
}

/** The statuses of refusals that are none of those allowed; `none` stands for requests without an answer. */
export function unexpectedStatuses({ refused }: Row, allowed: string[]): string[] {
  return Object.keys(refused).filter((status) => !allowed.includes(status))
}
