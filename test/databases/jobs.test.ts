/** Jobs are leased, retried, dead-lettered and replayed, one at a time per repository, and never run twice at once. */
import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type JobHandler, RateLimited, runNext } from '../../src/server/jobs/jobs.ts'
import { changeLease, endRun, leaseDue } from '../../src/server/jobs/run-store.ts'
import { deleteJobs, enqueue, listJobs, type NewJob, reviveJob } from '../../src/server/jobs/store.ts'
import { type JobRow, jobs } from '../../src/server/jobs/table.ts'
import type { Database } from '../../src/server/platform/db/database.ts'
import { openDatabase } from '../../src/server/platform/db/open.ts'
import { openMetrics } from '../../src/server/platform/telemetry/metrics.ts'
import { whileBroken } from '../support/broken-table.ts'
import { freshDatabase } from '../support/database.ts'
import { connectRaw } from '../support/postgres.ts'

const LEASE_MS = 120_000
const HOUR_MS = 3_600_000
const ATTEMPTS_MAX = 12

const fresh = await freshDatabase()
const database: Database = await openDatabase(fresh)
const db = database.connection()
let now: Date
let handler: (job: JobRow, now: Date) => ReturnType<JobHandler> | Promise<void>
let ran: string[]
const log: string[] = []

beforeEach(async () => {
  await db.delete(jobs)
  now = new Date('2026-03-02T09:00:00.000Z')
  ran = []
  handler = async () => {}
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const advance = (ms: number) => {
  now = new Date(now.getTime() + ms)
}
const inMs = (ms: number) => new Date(now.getTime() + ms)
const job = (id: string, over: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'work',
  priority: 'live',
  owner: 'acme',
  repo_id: 7,
  payload: { id },
  run_at: now,
  ...over,
})
const runner = {
  database,
  clock: () => now,
  log: pino({ level: 'trace' }, { write: (line: string) => log.push(line) }),
  metrics: openMetrics(() => now),
  handlers: {
    work: async (claimed: JobRow, at: Date) => {
      ran.push(claimed.id)
      await handler(claimed, at)
    },
  },
}
const run = () => runNext(runner)
const leaseSome = (all: number, not_urgent = all, lapsed = 1) =>
  leaseDue(db, now, { leased_until: inMs(LEASE_MS), kinds: ['work'], places: { all, not_urgent, lapsed } })
const leaseOne = async (): Promise<JobRow | undefined> => (await leaseSome(1))[0]
async function runAll(): Promise<string[]> {
  const from = ran.length
  while (await run()) {}
  return ran.slice(from)
}
async function row(id: string): Promise<JobRow> {
  const found = (await db.select().from(jobs)).find((each) => each.id === id)
  if (!found) throw new Error(`no job ${id}`)
  return found
}
const failing = async () => {
  throw new Error('no luck')
}

describe('a job', () => {
  test('runs once, with its payload and the instant, and is done', async () => {
    const seen: unknown[] = []
    handler = async (claimed, at) => {
      seen.push([claimed.payload, claimed.attempts, at])
    }
    await enqueue(db, [job('a')], now)
    expect(await run()).toBe(true)
    expect(await run()).toBe(false)
    expect(seen).toEqual([[{ id: 'a' }, 1, now]])
    const over = { state: 'done', payload: null, leased_until: null, last_error: null }
    expect(await row('a')).toMatchObject(over)
  })

  test('is done although the connection breaks once when its result is stored', async () => {
    await enqueue(db, [job('a')], now)
    await db.execute('create sequence results')
    const trigger = `before update on jobs for each row when (new.state = 'done')`
    const condition = `nextval('results') = 1 and pg_terminate_backend(pg_backend_pid())`
    await whileBroken(db, { trigger, condition }, run)
    expect((await row('a')).state).toBe('done')
  })

  test('of a kind that only another version knows is left to that', async () => {
    await enqueue(db, [job('a', { kind: 'newer' })], now)
    expect(await run()).toBe(false)
    expect(await row('a')).toMatchObject({ state: 'pending', attempts: 0 })
  })
})

describe('a job that fails', () => {
  test('is retried with backoff of at most an hour, and is dead-lettered in the end', async () => {
    handler = failing
    await enqueue(db, [job('a')], now)
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      expect(await runAll()).toEqual(['a'])
      const { state, attempts, run_at, last_error } = await row('a')
      expect(state).toBe('pending')
      expect(attempts).toEqual(attempt)
      expect(last_error).toContain('no luck')
      const delay = run_at.getTime() - now.getTime()
      const most = Math.min(HOUR_MS, 2000 * 2 ** (attempt - 1))
      expect(delay).toBeGreaterThanOrEqual(most / 2)
      expect(delay).toBeLessThanOrEqual(most)
      advance(delay - 1)
      expect(await runAll()).toEqual([])
      advance(1)
    }
    expect(await runAll()).toEqual(['a'])
    expect(await row('a')).toMatchObject({ state: 'dead', attempts: ATTEMPTS_MAX, payload: { id: 'a' } })
    advance(10 * HOUR_MS)
    expect(await runAll()).toEqual([])
  })

  test('does not block the others of its repository, and is done without its last error when it succeeds', async () => {
    handler = async (claimed) => {
      if (claimed.id === 'a') throw new Error('no luck')
    }
    await enqueue(db, [job('a'), job('b')], now)
    expect(await runAll()).toEqual(['a', 'b'])
    handler = async () => {}
    advance(HOUR_MS)
    expect(await runAll()).toEqual(['a'])
    expect(await row('a')).toMatchObject({ state: 'done', last_error: null })
  })

  test('starts again with its first attempt when it is enqueued', async () => {
    handler = failing
    await enqueue(db, [job('a')], now)
    await run()
    advance(HOUR_MS)
    await enqueue(db, [job('a')], now)
    expect(await row('a')).toMatchObject({ attempts: 0, run_at: now })
  })

  test('with a database error stores and logs no SQL', async () => {
    await enqueue(db, [job('a')], now)
    handler = async () => {
      await db.insert(jobs).values({ ...(await row('a')), payload: { secret: 'hidden words' } })
    }
    await run()
    const { last_error } = await row('a')
    expect(last_error).toContain('23505')
    expect(last_error + log.join('')).not.toMatch(/hidden words|insert into/)
  })
})

describe('dead jobs', () => {
  beforeEach(async () => {
    handler = failing
    await enqueue(db, [job('a'), job('b'), job('c')], now)
    await db.update(jobs).set({ attempts: ATTEMPTS_MAX - 1 })
    await runAll()
    handler = async () => {}
  })

  test('run when they are replayed, with all attempts, and no others can be replayed', async () => {
    await enqueue(db, [job('waiting', { run_at: inMs(HOUR_MS) })], now)
    for (const other of ['unknown', 'waiting']) expect(await reviveJob(db, other, now)).toBe(false)
    expect((await row('waiting')).run_at).toEqual(inMs(HOUR_MS))
    expect(await reviveJob(db, 'b', now)).toBe(true)
    expect(await row('b')).toMatchObject({ state: 'pending', attempts: 0, payload: { id: 'b' } })
    expect(await runAll()).toEqual(['b'])
    expect((await row('b')).state).toBe('done')
  })

  test('and done jobs are deleted after a while, and no others', async () => {
    await enqueue(db, [job('done', { run_at: inMs(1) }), job('waiting', { run_at: inMs(99 * HOUR_MS) })], now)
    advance(1)
    await runAll()
    expect(await deleteJobs(db, inMs(-2), 10)).toBe(0)
    expect(await deleteJobs(db, inMs(-1), 10)).toBe(3)
    expect(await deleteJobs(db, now, 10)).toBe(1)
    expect(await db.select({ id: jobs.id }).from(jobs)).toEqual([{ id: 'waiting' }])
  })
})

test('a job that is rate limited waits until then, any number of times, and keeps its failed attempts', async () => {
  handler = () => Promise.reject(new RateLimited(inMs(5000)))
  await enqueue(db, [job('a')], now)
  await db.update(jobs).set({ attempts: 1 })
  for (let round = 0; round < ATTEMPTS_MAX + 3; round += 1) {
    expect(await runAll()).toEqual(['a'])
    expect(await row('a')).toMatchObject({ state: 'pending', attempts: 1, run_at: inMs(5000) })
    advance(4999)
    expect(await runAll()).toEqual([])
    advance(1)
  }
  handler = () => enqueue(db, [job('a')], now).then(() => Promise.reject(new RateLimited(inMs(5000))))
  await run()
  expect(await row('a')).toMatchObject({ state: 'pending', attempts: 0 })
})

describe('enqueued again', () => {
  test('while it waits, a job runs once, at the earlier instant, with the newer payload', async () => {
    const payloads: unknown[] = []
    handler = async (claimed) => {
      payloads.push(claimed.payload)
    }
    await enqueue(db, [job('a', { run_at: inMs(1000) })], now)
    await enqueue(db, [job('a', { run_at: inMs(5000), payload: 'newer' })], now)
    advance(1000)
    expect(await runAll()).toEqual(['a'])
    expect(payloads).toEqual(['newer'])
    advance(5000)
    expect(await runAll()).toEqual([])
  })

  test('while it runs, a job runs again, once', async () => {
    handler = async () => {
      if (ran.length > 1) return
      await enqueue(db, [job('a', { payload: 'second' })], now)
      await enqueue(db, [job('a', { payload: 'third' })], now)
    }
    await enqueue(db, [job('a')], now)
    expect(await runAll()).toEqual(['a', 'a'])
    expect((await row('a')).state).toBe('done')
  })

  test('with a gap, a job keeps its time while it waits, and waits for the gap after each run', async () => {
    const again = () => enqueue(db, [job('a', { run_at: now })], now, { gap_ms: 30_000 })
    await enqueue(db, [job('a', { run_at: inMs(2000) })], now, { gap_ms: 30_000 })
    await again()
    expect(await runAll()).toEqual([])
    advance(2000)
    // Enqueued while it runs.
    handler = again
    expect(await runAll()).toEqual(['a'])
    expect((await row('a')).run_at).toEqual(inMs(30_000))
    handler = async () => {}
    advance(30_000)
    expect(await runAll()).toEqual(['a'])
    advance(10_000)
    await again()
    expect((await row('a')).run_at).toEqual(inMs(20_000))
    advance(20_000)
    expect(await runAll()).toEqual(['a'])
    advance(60_000)
    await again()
    expect(await runAll()).toEqual(['a'])
    // The clock is corrected.
    advance(-3_600_000)
    await again()
    expect((await row('a')).run_at).toEqual(inMs(30_000))
  })

  test('while its last attempt fails, a job stays pending', async () => {
    await enqueue(db, [job('a')], now)
    await db.update(jobs).set({ attempts: ATTEMPTS_MAX - 1 })
    handler = async () => {
      await enqueue(db, [job('a')], now)
      throw new Error('no luck')
    }
    await run()
    expect((await row('a')).state).toBe('pending')
  })
})

describe('a lease', () => {
  test('keeps other workers off until it expires, and then its late run changes nothing', async () => {
    await enqueue(db, [job('a')], now)
    const late = (await leaseOne()) as JobRow
    expect(late).toMatchObject({ id: 'a', attempts: 1 })
    advance(LEASE_MS - 1)
    expect(await leaseOne()).toBeUndefined()
    advance(1)
    const next = (await leaseOne()) as JobRow
    expect(next).toMatchObject({ id: 'a', attempts: 2, payload: { id: 'a' } })
    await endRun(db, late, { state: 'pending', run_at: now, last_error: 'late', now })
    expect(await leaseOne()).toBeUndefined()
    await endRun(db, next, { state: 'done', last_error: null, now })
    expect((await row('a')).state).toBe('done')
  })

  test('that expired twice in a row dead-letters the job, and those that ran beside it and others go on', async () => {
    const beside = Array.from({ length: 20 }, (_, index) => job(`b${index}`, { repo_id: 8 + index }))
    await enqueue(db, [job('a'), ...beside, job('c', { repo_id: 99, run_at: inMs(LEASE_MS) })], now)
    expect(await leaseSome(21)).toHaveLength(21)
    advance(LEASE_MS)
    expect(await leaseSome(2)).toMatchObject([{ id: 'a' }])
    expect(await leaseSome(2, 2, 0)).toMatchObject([{ id: 'c' }])
    advance(LEASE_MS)
    expect(await runAll()).toEqual([...beside.map(({ id }) => id).sort(), 'c'])
    expect(await row('a')).toMatchObject({ state: 'dead', attempts: 3 })
  })

  test('blocks the other jobs of its repository, but none of another or of no repository', async () => {
    await enqueue(
      db,
      [job('a'), job('b'), job('c', { repo_id: 8 }), job('d', { repo_id: 0 }), job('e', { repo_id: 0 })],
      now,
    )
    const taken: string[] = []
    for (let claimed = await leaseOne(); claimed; claimed = await leaseOne()) taken.push(claimed.id)
    expect(taken).toEqual(['a', 'c', 'd', 'e'])
    await endRun(db, await row('a'), { state: 'done', last_error: null, now })
    expect(await leaseOne()).toMatchObject({ id: 'b' })
  })
})

describe('several jobs that are leased at once', () => {
  const idsOf = (leased: JobRow[]) => leased.map(({ id }) => id)
  const ofRepository = (repo_id: number, over: Partial<NewJob> = {}) =>
    job(`${over.owner ?? 'acme'}-${repo_id}`, { repo_id, ...over })

  test('are of different repositories, the longest due first, as many as there are places', async () => {
    const due = [3, 1, 2, 4].map((repo_id, age) => ofRepository(repo_id, { run_at: inMs(age) }))
    await enqueue(db, [...due, job('second', { repo_id: 3 })], now)
    advance(10)
    expect(idsOf(await leaseSome(3))).toEqual(['acme-3', 'acme-1', 'acme-2'])
    expect(idsOf(await leaseSome(3))).toEqual(['acme-4'])
  })

  test('are of the owner with the fewest before them, running ones included', async () => {
    const owners = ['acme', 'acme', 'acme', 'acme', 'beta', 'beta']
    await enqueue(
      db,
      owners.map((owner, index) => ofRepository(index + 1, { owner })),
      now,
    )
    expect(idsOf(await leaseSome(3))).toEqual(['acme-1', 'beta-5', 'acme-2'])
    expect(idsOf(await leaseSome(2))).toEqual(['beta-6', 'acme-3'])
  })

  test('take no more places for imports than they may', async () => {
    const imports = [1, 2, 3].map((repo_id) => ofRepository(repo_id, { priority: 'import' }))
    await enqueue(db, [...imports, job('push', { repo_id: 9, run_at: inMs(5) })], now)
    advance(10)
    expect(idsOf(await leaseSome(4, 2))).toEqual(['push', 'acme-1', 'acme-2'])
    expect(idsOf(await leaseSome(1, 0))).toEqual([])
    expect(idsOf(await leaseSome(2, 2))).toEqual(['acme-3'])
  })
})

describe('a renewal concurrent with the end of its run', () => {
  const lease = async () => (await leaseOne()) as JobRow
  const done = { state: 'done', last_error: null } as const

  beforeEach(() => enqueue(db, [job('a'), job('b')], now))

  test('that is stored last leaves the job done and its repository free', async () => {
    const held = await lease()
    await endRun(db, held, { ...done, now })
    await changeLease(db, held, { leased_until: inMs(2 * LEASE_MS) })
    expect(await row('a')).toMatchObject({ state: 'done', leased_until: null })
    expect(await lease()).toMatchObject({ id: 'b' })
  })

  test('that is stored after another worker has the job leaves that worker its lease', async () => {
    const late = await lease()
    advance(LEASE_MS)
    const next = await lease()
    await changeLease(db, late, { leased_until: inMs(5 * LEASE_MS) })
    expect((await row('a')).leased_until).toEqual(next.leased_until)
  })

  test('lets a worker run the next job at once', async () => {
    const other = connectRaw(fresh.database_url as string)
    const watch = connectRaw(fresh.database_url as string)
    const waiting = () =>
      watch`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    let release = () => {}
    handler = async ({ id }) => {
      if (id !== 'a') return
      await new Promise<void>((locked, failed) => {
        other
          .begin(async (tx) => {
            await tx`select 1 from jobs where id = 'a' for update`
            locked()
            await new Promise<void>((resolve) => (release = resolve))
          })
          .catch(failed)
      })
      advance(10_000)
      vi.advanceTimersByTime(10_000)
      await expect.poll(waiting).toHaveLength(1)
      // The run ends and sends its result while the renewal waits.
      setImmediate(() => setImmediate(release))
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      expect(await runAll()).toEqual(['a', 'b'])
    } finally {
      vi.useRealTimers()
      await Promise.all([other.end(), watch.end()])
    }
    expect((await row('a')).state).toBe('done')
  })
})

test('many workers run no job twice, and one job of a repository at a time', async () => {
  const wanted = Array.from({ length: 120 }, (_, index) => job(`j${index}`, { repo_id: 1 + (index % 6) }))
  await enqueue(db, wanted, now)
  const busy = new Set<number>()
  const clashes: string[] = []
  let together = 0
  handler = async ({ id, repo_id }) => {
    if (busy.has(repo_id)) clashes.push(id)
    busy.add(repo_id)
    together = Math.max(together, busy.size)
    if (ran.length === 1) await expect.poll(() => together).toBeGreaterThan(1)
    await db.select().from(jobs).limit(1)
    await new Promise(setImmediate)
    busy.delete(repo_id)
  }
  const worker = async () => {
    while (ran.length < wanted.length) await run()
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  expect(clashes).toEqual([])
  expect([...ran].sort()).toEqual(wanted.map(({ id }) => id).sort())
  expect(await listJobs(db, 'done', 500)).toHaveLength(wanted.length)
})

describe('while the statistics say that the table has one row', () => {
  // The planner then prefers plans that would run a subquery once for each row of the table.
  beforeEach(async () => {
    await enqueue(db, [job('a')], now)
    await db.execute('analyze jobs')
    await enqueue(db, [job('b'), job('c')], now)
  })

  test('a lease takes one job', async () => {
    const leased = await leaseOne()
    const held = (await db.select().from(jobs)).filter(({ leased_until }) => leased_until !== null)
    expect(held.map(({ id }) => id)).toEqual([leased?.id])
  })

  test('a batch of deletions is no larger than its limit', async () => {
    await runAll()
    expect(await deleteJobs(db, now, 2)).toBe(2)
    expect(await db.select().from(jobs)).toHaveLength(1)
  })
})
