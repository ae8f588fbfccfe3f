/** Clients that create activities continuously, each with its own idempotency key, and retry until it is acknowledged. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { apiAt } from './api.ts'
import { countRequests } from './request-counts.ts'

/** The wait of a client after a failed request. */
const PAUSE_MS = 20
/** The timeout of a request. */
const ANSWER_MS = 60_000

/** Starts `clients` clients that call `urls` and `repositories` in turn. Each record's title is its key. */
export function startLoad(
  fault: string,
  urls: string[],
  { clients = 8, repositories = ['acme/shop'], load = '' } = {},
) {
  const counts = countRequests(fault, load || `${clients} clients`)
  let isStopped = false
  let isAbandoned = false
  const one = async (client: number) => {
    for (let count = 0; !isStopped; count += 1) {
      const key = `${client}-${count}`
      const repository = repositories[count % repositories.length] as string
      for (let attempt = client; !isAbandoned; attempt += 1) {
        const status = await create(urls[attempt % urls.length] as string, repository, key)
        counts.record(status, key)
        if (status === 201) break
        await wait(PAUSE_MS)
      }
    }
  }
  const running = Array.from({ length: clients }, (_, client) => one(client))
  const end = async () => {
    isStopped = true
    await Promise.all(running)
  }
  const until = async (count: () => number, more: number) => {
    const before = count()
    await expect.poll(count).toBeGreaterThan(before + more)
  }
  return {
    counts,
    /** Waits until more than `more` further creates are acknowledged, or refused with 503. */
    acknowledges: (more: number) => until(() => counts.acknowledged.size, more),
    refuses: (more: number) => until(() => counts.refused['503'] ?? 0, more),
    /** Stops each client after its last request is acknowledged. */
    stop: end,
    /** Stops, and compares with what is stored at `url`; see `report` of `countRequests`. */
    async settle(url: string, allowed = ['503']) {
      await end()
      const titles = await Promise.all(repositories.map((name) => listTitles(url, name)))
      return counts.report(titles.flat(), allowed)
    },
    /** Stops after the requests in flight, acknowledged or not. */
    abandon: () => {
      isAbandoned = true
      return end()
    },
  }
}

/** The status of the response; null if there was none. */
async function create(url: string, repository: string, key: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/api/v1/repos/${repository}/activity`, {
      method: 'POST',
      headers: { authorization: 'Bearer ada', 'Idempotency-Key': key },
      body: JSON.stringify({ title: key, summary: 'Under load.', actor: 'Ada' }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

/** The titles of all live activities, which under this load are their keys. */
export async function listTitles(url: string, repository = 'acme/shop'): Promise<string[]> {
  const api = apiAt(url, 'ada')
  const titles: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await api('GET', `/api/v1/repos/${repository}/activity?limit=100${cursor}`)
    titles.push(...body.items.map(({ title }: { title: string }) => title))
    if (body.next_cursor === null) return titles
    cursor = `&cursor=${body.next_cursor}`
  }
}
