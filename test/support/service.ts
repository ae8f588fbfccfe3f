/** The service in the test's process, with its own database. */
import { sql } from 'drizzle-orm'
import { afterAll, afterEach } from 'vitest'
import { type Config, readConfig } from '../../src/server/platform/config.ts'
import { openLog } from '../../src/server/platform/telemetry/log.ts'
import { type ServiceOptions, startService } from '../../src/server/server.ts'
import { activitiesBy, apiAt } from './api.ts'
import { DELETE_RECORDS, freshDatabase } from './database.ts'
import { type FakeGithub, fakeGithub } from './github.ts'
import { useStarted } from './use-started.ts'

export type TestService = Awaited<ReturnType<typeof startTestService>>

export interface TestServiceOptions extends Omit<ServiceOptions, 'clock' | 'log'> {
  token: string
  config?: Partial<Config>
  /** The real clock, where a test needs time to pass by itself. */
  realClock?: boolean
}

/**
 * Starts the service. `token` is the default token of `api`; settings of `config` override those of an empty
 * environment. By default no background worker runs, and writes to GitHub are not paced.
 */
export async function startTestService({ token, config = {}, realClock, ...options }: TestServiceOptions) {
  const database = config.data_dir ? NOT_OWNED : await freshDatabase()
  const all = { ...readConfig({}), host: '127.0.0.1', port: 0, ...database, ...config }
  /** Of the service; a test moves it. */
  const clock = {
    now: new Date('2026-03-02T09:00:00.000Z'),
    advance(ms: number) {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
  /** One JSON text per line. */
  const log: string[] = []
  const service = await startService(all, {
    ...(realClock ? {} : { clock: () => clock.now }),
    has_workers: false,
    paces_writes: false,
    ...options,
    log: openLog('trace', { write: (line: string) => log.push(line) }),
  })
  let stopped: Promise<void> | undefined
  /** Stops the service and keeps its database, for another instance. `close` is called later. */
  const stop = () => {
    stopped ??= service.close()
    return stopped
  }
  const api = apiAt(service.url, token)
  const db = service.app.database.connection()
  return {
    url: service.url,
    signInUrl: service.signInUrl,
    /** The address that creates the GitHub App. */
    setup_url: service.setup_url,
    app: service.app,
    db,
    api,
    /** In `acme/shop`. */
    ...activitiesBy(api),
    clock,
    log,
    /** Deletes all rows, so that a test that moves the clock or sweeps is independent of earlier ones. */
    deleteRecords: async () => void (await db.execute(sql.raw(DELETE_RECORDS))),
    stop,
    close: async () => {
      await stop()
      await database.drop()
    },
  }
}

/** The database of `config`, which the test drops. */
const NOT_OWNED = { drop: async () => {} }

/** More requests than any test sends in a minute. */
const MANY = 1_000_000

/** A GitHub for the tests of a file, with these repositories, in which Ada may write. */
export function useGithub(repositories = ['acme/shop'], token = 'ada'): FakeGithub {
  const github = fakeGithub()
  github.repositories(repositories, 7)
  github.users(repositories, { ada: 'admin' }, () => token)
  afterEach(() => github.clearFaults())
  afterAll(() => github.close())
  return github
}

/** Starts the service before the tests of a file and closes it at the end. Ada, who calls it, may write in `repositories`. */
export function useService(
  options: { config?: Partial<Config>; repositories?: string[]; token?: string } = {},
): { github: FakeGithub; service: TestService } {
  const { repositories, token = 'ada' } = options
  const github = useGithub(repositories, token)
  const config = { rate_limit_per_minute: MANY, ...options.config }
  const service = useStarted(
    () => startTestService({ token, config }),
    (started) => started.close(),
  )
  return { github, service }
}

/** Two instances on one database, with `acme/shop`, in which Ada may write. */
export function useInstances(): TestService[] {
  const { service } = useService()
  const start = () => {
    const { database_url } = service.app.config
    return startTestService({ token: 'ada', config: { rate_limit_per_minute: MANY, database_url } })
  }
  return [service, useStarted(start, (started) => started.close())]
}
