/** How Citus plans each statement of the service: those of a repository are sent to one shard (docs/operations.md: Citus). */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ACROSS_REPOSITORIES,
  type AllStatements,
  collectStatements,
  type Executed,
} from '../support/all-statements.ts'

/** What has no plan: definitions and settings. */
const UNPLANNED = /^(?:create|set) /

interface Planned {
  statement: string
  /** The number of shards that each part reads or writes. */
  tasks: number[]
  /** Its rows are computed by the coordinator, which sends each to the shard of its repository. */
  is_sent_by_row: boolean
}

let all: AllStatements
let plans: Planned[]

beforeAll(async () => {
  all = await collectStatements()
  plans = []
  for (const [statement, executed] of all.statements)
    if (!UNPLANNED.test(statement)) plans.push({ statement, ...(await explain(executed)) })
})
afterAll(() => all.close())

function literalOf(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  return `'${String(value).replaceAll("'", "''")}'`
}

async function explain({ text, values }: Executed): Promise<Omit<Planned, 'statement'>> {
  const literals = values.map(literalOf)
  const filled = text.replace(/\$(\d+)/g, (_, position) => literals[position - 1] as string)
  const rows = await all.service.db.execute(sql.raw(`explain (costs off) ${filled}`))
  const lines = (rows as unknown as Record<string, string>[]).map((row) => row['QUERY PLAN'] as string)
  return {
    tasks: lines.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? []).map(Number),
    is_sent_by_row: lines.some((line) => line.includes('INSERT/SELECT method: pull to coordinator')),
  }
}

const isAcross = (statement: string) => ACROSS_REPOSITORIES.some(([, shape]) => shape.test(statement))
const usesTable = (statement: string) =>
  all.tables.some((table) => new RegExp(`\\b(?:from|into|update|join) ${table}\\b`).test(statement))

test('a statement of a repository is sent to one shard', () => {
  const own = plans.filter(({ statement }) => usesTable(statement) && !isAcross(statement))
  expect(own.length).toBeGreaterThan(100)
  const others = own.filter(
    ({ tasks, is_sent_by_row }) =>
      tasks.some((count) => count !== 1) || (tasks.length === 0 && !is_sent_by_row),
  )
  expect(others).toEqual([])
})

test('only statements over all repositories are sent to all shards', () => {
  const across = plans.filter(({ tasks }) => tasks.some((count) => count > 1))
  expect(across.length).toBeGreaterThan(3)
  expect(across.filter(({ statement }) => !isAcross(statement))).toEqual([])
})

test('an insert whose rows the coordinator computes names the repository once', () => {
  const inserts = plans.filter(({ statement, is_sent_by_row }) => is_sent_by_row && usesTable(statement))
  expect(inserts.length).toBeGreaterThan(2)
  const named = inserts.filter(({ statement }) => /\(repo_id,[^)]*\) select \$\d+::bigint,/.test(statement))
  expect(named).toEqual(inserts)
})

test('an insert whose rows the coordinator computes has no parameter in its conflict clause', () => {
  const inserts = plans.filter(({ is_sent_by_row }) => is_sent_by_row)
  expect(inserts.filter(({ statement }) => /^insert .* on conflict .*\$\d/.test(statement))).toEqual([])
})
