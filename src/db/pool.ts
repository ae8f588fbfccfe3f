/** Shares a few connections: a statement takes an idle one, or waits until one is (docs/reliability.md). */
import type postgres from 'postgres'
import type { Lane } from './lane.ts'

interface Waiter {
  take(lane: Lane): void
  late: NodeJS.Timeout
}

/**
 * A client, as far as Drizzle uses one, that runs every statement and every transaction on a lane where nothing else is
 * under way: what waits for a lock there would hold up whatever was sent after it. What no lane is free for within
 * `wait_ms` is refused.
 */
export function pooled(lanes: Lane[], wait_ms: number): postgres.Sql {
  const idle = [...lanes]
  const waiting = new Set<Waiter>()

  /** Prefers lanes that work; takes one that could not connect only where no other can be waited for. */
  const takeIdle = (): Lane | undefined => {
    const working = idle.findIndex((lane) => !lane.isFailing())
    if (working >= 0) return idle.splice(working, 1)[0]
    return idle.length === lanes.length ? idle.shift() : undefined
  }
  const waitForIdle = () =>
    new Promise<Lane>((resolve, reject) => {
      const waiter: Waiter = {
        take: resolve,
        late: setTimeout(() => {
          waiting.delete(waiter)
          reject(noneIdle())
        }, wait_ms),
      }
      waiting.add(waiter)
    })
  const release = (lane: Lane) => {
    idle.push(lane)
    for (const waiter of waiting) {
      const next = takeIdle()
      if (!next) return
      clearTimeout(waiter.late)
      waiting.delete(waiter)
      waiter.take(next)
    }
  }
  const run = async <Result>(work: (client: postgres.Sql) => PromiseLike<Result>): Promise<Result> => {
    const lane = takeIdle() ?? (await waitForIdle())
    try {
      return await lane.run(work)
    } finally {
      release(lane)
    }
  }

  const unsafe = (...asked: Parameters<postgres.Sql['unsafe']>) => ({
    values: () => run((client) => client.unsafe(...asked).values()),
    // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, a statement is sent when somebody waits for it
    then: (...settled: Parameters<Promise<unknown>['then']>) =>
      run((client) => client.unsafe(...asked)).then(...settled),
  })
  const begin = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    run((client) => client.begin(work))
  return { options: { parsers: {}, serializers: {} }, unsafe, begin } as unknown as postgres.Sql
}

function noneIdle(): Error {
  return Object.assign(new Error('all connections to the database are busy'), {
    code: 'CONNECTION_NONE_IDLE',
  })
}
