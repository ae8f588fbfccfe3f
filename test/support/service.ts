/** The service in the test's process, with its own database. */
import { sql } from 'drizzle-orm'
import { type Config, readConfig } from '../../src/server/base/config.ts'
import type { App } from '../../src/server/repositories/app.ts'
import { type Service, type ServiceOptions, startService } from '../../src/server/server.ts'
import { openLog } from '../../src/server/telemetry/log.ts'
import { type Api, apiAt } from './api.ts'
import { DELETE_RECORDS, freshDatabase } from './database.ts'

export interface TestService {
  url: string
  signInUrl: Service['signInUrl']
  /** The address that creates the GitHub App. */
  setup_url: string | null
  app: App
  api: Api
  /** The clock of the service, which a test moves. */
  clock: { now: Date; advance(ms: number): void }
  /** The log, one JSON text per line. */
  log: string[]
  /** Deletes all rows, so that a test that moves the clock or sweeps is independent of earlier ones. */
  deleteRecords(): Promise<void>
  close(): Promise<void>
  /** Stops the service and keeps its database, for another instance. `close` is called later. */
  stop(): Promise<void>
}

/**
 * Starts the service. `token` is the default token of `api`; settings of `config` override those of an empty
 * environment. By default no background worker runs, and writes to GitHub are not paced.
 */
export async function startTestService(
  options: {
    token: string
    config?: Partial<Config>
    /** The real clock, where a test needs time to pass by itself. */
    realClock?: boolean
  } & Pick<
    ServiceOptions,
    'connection_limits' | 'has_workers' | 'paces_writes' | 'job_poll_ms' | 'list_limits'
  >,
): Promise<TestService> {
  const database = options.config?.data_dir ? NOT_OWNED : await freshDatabase()
  const config = { ...readConfig({}), host: '127.0.0.1', port: 0, ...database, ...options.config }
  const clock = {
    now: new Date('2026-03-02T09:00:00.000Z'),
    advance(ms: number) {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
  const log: string[] = []
  const service = await startService(config, {
    ...(options.realClock ? {} : { clock: () => clock.now }),
    has_workers: options.has_workers ?? false,
    paces_writes: options.paces_writes ?? false,
    ...(options.job_poll_ms ? { job_poll_ms: options.job_poll_ms } : {}),
    ...(options.list_limits ? { list_limits: options.list_limits } : {}),
    ...(options.connection_limits ? { connection_limits: options.connection_limits } : {}),
    log: openLog('trace', { write: (line: string) => log.push(line) }),
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= service.close()
    return stopped
  }
  return {
    url: service.url,
    signInUrl: service.signInUrl,
    setup_url: service.setup_url,
    app: service.app,
    api: apiAt(service.url, options.token),
    clock,
    log,
    deleteRecords: async () => {
      await service.app.database.connection().execute(sql.raw(DELETE_RECORDS))
    },
    stop,
    close: async () => {
      await stop()
      await database.drop()
    },
  }
}

/** The database of `config`, which the test drops. */
const NOT_OWNED = { drop: async () => {} }
