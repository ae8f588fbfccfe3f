/** Records the statements that the service runs for a request, so that baselines run the same ones. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { BackgroundWork } from '../../src/server/base/background.ts'
import { readConfig } from '../../src/server/base/config.ts'
import { SingleFlight } from '../../src/server/base/single-flight.ts'
import type { Caller } from '../../src/server/operations/admission.ts'
import { perform } from '../../src/server/operations/perform.ts'
import type { App } from '../../src/server/repositories/app.ts'
import { ChangeFeed } from '../../src/server/repositories/change-feed.ts'
import { RepositoryCache } from '../../src/server/repositories/repository-cache.ts'
import { openLog } from '../../src/server/telemetry/log.ts'
import { openMetrics } from '../../src/server/telemetry/metrics.ts'
import { Meter } from '../../src/vocabulary/budget.ts'
import { systemClock } from '../../src/vocabulary/clock.ts'
import type { OperationName } from '../../src/vocabulary/contract/contract.ts'

export interface Statement {
  sql: string
  params: unknown[]
}

export interface Recording {
  statements: Statement[]
  /** The response body. */
  body: string
}

export interface Operation {
  name: OperationName
  repository: { id: number; owner: string; name: string }
  /** Empty for operations without a record. */
  id: string
  input: unknown
}

/** Performs the operation on the database at `url` with the service's code, and returns its statements. */
export async function recordStatements(url: string, operation: Operation): Promise<Recording> {
  const statements: Statement[] = []
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  const db = drizzle({ client: recording(client, statements) })
  const { repository, id, input } = operation
  const clock = systemClock
  const log = openLog('silent')
  const database = {
    kind: 'postgres',
    connection: () => db,
    announce: async () => {},
  } as unknown as App['database']
  const app: App = {
    config: readConfig({ DATABASE_URL: url }),
    clock,
    log,
    metrics: openMetrics(clock),
    audit: null,
    database,
    change_feed: new ChangeFeed(database, log),
    access: {
      repository: async () => ({ ...repository, may_write: true }),
      identity: async () => null,
    } as unknown as App['access'],
    repositories: new RepositoryCache(),
    comparisons: new SingleFlight({ size: 1, count: () => {} }),
    background: new BackgroundWork({ at_once: 1, waiting_max: 1, count: () => {}, onError: () => {} }),
    github_app: null,
    paces_writes: true,
    watch: null,
    sign_in: null,
    invalidateAccess: async () => {},
    wakeWorker: () => {},
  }
  const call = { owner: repository.owner, repo: repository.name, id, idempotency_key: undefined }
  try {
    const caller = admitted()
    const given = { ...call, caller, source: 'rest', input: () => input } as const
    const { body } = await perform(app, operation.name, given)
    return { statements, body }
  } finally {
    await client.end()
  }
}

/** A caller whose quota needs no statement, as for most requests: their instance holds a lease. */
function admitted(): Caller {
  const token = { secret: '', hash: '' }
  const caller: Pick<Caller, 'admit' | 'chargeWork' | 'meter' | 'token'> = {
    token,
    meter: new Meter(),
    admit: (ask) => ask(token),
    chargeWork: async () => {},
  }
  return caller as Caller
}

/** A client that records its statements. */
function recording<Client extends postgres.Sql | postgres.TransactionSql>(
  client: Client,
  statements: Statement[],
): Client {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === 'unsafe') {
        return (sql: string, params: unknown[] = [], options?: object) => {
          statements.push({ sql, params: [...params] })
          return (value as postgres.Sql['unsafe']).call(target, sql, params as never[], options)
        }
      }
      if (name === 'begin') {
        return async (...args: unknown[]) => {
          const work = args.pop() as (inner: postgres.TransactionSql) => unknown
          statements.push({ sql: 'begin', params: [] })
          const begin = value as (...given: unknown[]) => Promise<unknown>
          const result = await begin.call(target, ...args, (inner: postgres.TransactionSql) =>
            work(recording(inner, statements)),
          )
          statements.push({ sql: 'commit', params: [] })
          return result
        }
      }
      return value
    },
  })
}

export interface Script {
  script: string
  variables: Record<string, string>
}

/**
 * Converts the statements to a pgbench script. Each occurrence of the id `id` in a parameter becomes the SQL expression
 * `fresh`, which can use the variables that `preamble` sets.
 */
export function pgbenchScript(
  statements: Statement[],
  { id, fresh, preamble }: { id: string; fresh: string; preamble: string },
): Script {
  const variables: Record<string, string> = {}
  const lines = statements.map(({ sql, params }) => {
    const texts = params.map((param) => textOf(param))
    const names = texts.map((text, at) => {
      if (text === null) return 'null'
      if (id !== '' && text === id) return `(${fresh})`
      const name = `v${Object.keys(variables).length}_${at}`
      if (id !== '' && text.includes(id)) {
        variables[name] = text.replaceAll(id, '@@')
        return `replace(:${name}, '@@', ${fresh})`
      }
      variables[name] = text
      return `:${name}`
    })
    const used = sql.replaceAll(/\$(\d+)/g, (_, number) => names[Number(number) - 1] as string)
    return `${used.replaceAll(/\s*\n\s*/g, ' ')};`
  })
  return { script: `${preamble}\n${lines.join('\n')}\n`, variables }
}

/** A parameter in PostgreSQL's text format. */
function textOf(param: unknown): string | null {
  if (param === null || param === undefined) return null
  if (param instanceof Date) return param.toISOString()
  if (Array.isArray(param)) return `{${param.map(element).join(',')}}`
  if (typeof param === 'object') return JSON.stringify(param)
  return String(param)
}

function element(value: unknown): string {
  const text = textOf(value)
  return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
