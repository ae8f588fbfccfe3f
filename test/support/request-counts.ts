/** Counts the requests of a fault test by outcome, and compares the acknowledged ones with what is stored. */
import { expect } from 'vitest'

/** A row of the table in docs/reliability.md. */
export interface Row {
  fault: string
  load: string
  requests: number
  acknowledged: number
  /** Counts by status; `none` means requests without a response. */
  refused: Record<string, number>
  lost: number
  duplicated: number
}

/** Starts counting. */
export function countRequests(fault: string, load: string) {
  const acknowledged = new Set<string>()
  const refused: Record<string, number> = {}
  let requests = 0
  let answered = 0
  return {
    acknowledged,
    refused,
    /** Records a request and its status; null means no response. `key` names the record that it creates. */
    record(status: number | null, key?: string) {
      requests += 1
      if (status !== null && status < 300) {
        answered += 1
        if (key !== undefined) acknowledged.add(key)
        return
      }
      const name = status === null ? 'none' : String(status)
      refused[name] = (refused[name] ?? 0) + 1
    },
    /**
     * Compares with the stored keys: an acknowledged key that is missing is lost, a key that is stored more than
     * once is duplicated. Prints the row, and expects neither, and no status of a refused request but these; `none`
     * means no response. Returns the row.
     */
    report(stored: string[], allowed: string[] = []): Row {
      const there = new Set(stored)
      const lost = [...acknowledged].filter((key) => !there.has(key)).length
      const duplicated = stored.length - there.size
      const row = { fault, load, requests, acknowledged: answered, refused, lost, duplicated }
      process.stdout.write(`${printed(row)}\n`)
      expect(row).toMatchObject({ lost: 0, duplicated: 0 })
      expect(Object.keys(refused).filter((status) => !allowed.includes(status))).toEqual([])
      return row
    },
  }
}

/** In the table: fault, load, requests, acknowledged, refused (by status), lost, duplicated. */
function printed({ fault, load, requests, acknowledged, refused, lost, duplicated }: Row): string {
  const statuses = Object.entries(refused).map(
    ([status, count]) => `${count} × ${status === 'none' ? 'no answer' : status}`,
  )
  const cells = [fault, load, requests, acknowledged, statuses.join(', ') || 'none', lost, duplicated]
  return `| ${cells.join(' | ')} |`
}
