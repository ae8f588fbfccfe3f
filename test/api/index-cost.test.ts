/** The cost of the claims index by PostgreSQL's statistics and plans: the rows that are written and read. */
import { sql } from 'drizzle-orm'
import type postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activities } from '../../src/server/activities/table.ts'
import { notables } from '../../src/server/notables/table.ts'
import { fakeGithub } from '../support/github.ts'
import { watchStatements } from '../support/held-statements.ts'
import { connectRaw } from '../support/postgres.ts'
import { freshRepositories, type TestRepository } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Statistics and plans exist only on a server.
describe.skipIf(process.env.TEST_DATABASE_KIND === 'embedded')('the database', () => {
  const github = fakeGithub()
  const repository = freshRepositories(github, () => service)
  let service: TestService
  let raw: postgres.Sql

  beforeAll(async () => {
    service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
    raw = connectRaw(service.app.config.database_url as string)
  })
  afterAll(async () => {
    await raw.end()
    await service.close()
    github.close()
  })

  type Writes = Record<'inserted' | 'updated' | 'hot' | 'deleted', number>

  /** The number of row writes per table so far. Each connection reports them with a delay. */
  const written = async () => {
    const rows = await raw`select relname as table, n_tup_ins::int as inserted, n_tup_upd::int as updated,
      n_tup_hot_upd::int as hot, n_tup_del::int as deleted from pg_stat_user_tables
      where relname in ('activities', 'claims', 'tallies')`
    return Object.fromEntries(rows.map(({ table, ...counts }): [string, Writes] => [table, counts as Writes]))
  }

  /** Makes the connections of the service report at once instead of when they have been idle for ten seconds. */
  const reportStatistics = () =>
    Promise.all(
      Array.from({ length: 8 }, () =>
        service.app.database.connection().execute(sql`select pg_stat_force_next_flush(), pg_sleep(0.2)`),
      ),
    )

  test('updates no index for a heartbeat, nor the claims index', async () => {
    const repo = repository()
    const scope = { areas: ['pay'], paths: ['src/**', 'lib/*.ts'] }
    const ids = [
      await repo.createActivity({ scope }),
      await repo.createActivity({ scope, branch: 'a' }),
      await repo.createActivity({}),
    ]
    const BEATS = 10
    for (let beat = 0; beat < BEATS; beat += 1)
      for (const id of ids) {
        service.clock.advance(1000)
        expect((await repo.request('POST', `/activity/${id}/heartbeat`)).status).toBe(200)
        service.clock.advance(1000)
        const patched = await repo.request('PATCH', `/activity/${id}`, { body: { heartbeat: true } })
        expect(patched.status).toBe(200)
      }
    const beats = 2 * ids.length * BEATS
    await reportStatistics()
    await expect.poll(written, { interval: 200 }).toMatchObject({
      activities: { inserted: ids.length, updated: beats, deleted: 0 },
      claims: { inserted: 2 * 3, updated: 0, deleted: 0 },
    })
    const { activities: beaten, tallies } = await written()
    // Where a page is full and another transaction may still see its old rows, an update has to take the next page.
    expect(beaten?.hot).toBeGreaterThan(0.8 * beats)
    expect(tallies && tallies.inserted + tallies.updated).toBe(ids.length)
  })

  test('has no index on activities.expires_at and leaves room for the next row version', async () => {
    const indexes = await raw`select indexdef from pg_indexes where tablename = 'activities'`
    expect(indexes.length).toBeGreaterThan(5)
    expect(indexes.filter(({ indexdef }) => /\bexpires_at\b/.test(indexdef))).toEqual([])
    const [table] = await raw`select reloptions from pg_class where relname = 'activities'`
    expect(table?.reloptions).toContain('fillfactor=80')
  })

  /** The statements that the service executes during `work`, with their values. */
  async function statementsOf(work: () => Promise<unknown>): Promise<Map<string, unknown[]>> {
    const seen = new Map<string, unknown[]>()
    const stop = watchStatements((text, values) => {
      seen.set(text, values)
      return undefined
    })
    await work().finally(stop)
    return seen
  }

  interface Scan {
    table: string
    type: string
    condition: string
    /** The number of rows that were read from the table, in all loops. */
    read: number
  }

  // biome-ignore lint/suspicious/noExplicitAny: a plan is what PostgreSQL makes of it
  function scansOf(node: any): Scan[] {
    const below = (node.Plans ?? []).flatMap(scansOf)
    if (node['Relation Name'] === undefined) return below
    const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
    const read = (rows + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']
    const scan = {
      table: node['Relation Name'],
      type: node['Node Type'],
      condition: node['Index Cond'] ?? node['Recheck Cond'] ?? '',
      read,
    }
    return [scan, ...below]
  }

  /** Each table that a statement reads, with its scans, on a connection of the service. */
  function explain(statement: string, values: unknown[]): Promise<Scan[]> {
    const literals = values.map((value) =>
      value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`,
    )
    return service.app.database.connection().transaction(async (tx) => {
      await tx.execute(sql.raw(`prepare asked as ${statement}`))
      const explained = `explain (analyze, format json) execute asked(${literals.join(', ')})`
      const [row] = (await tx.execute(sql.raw(explained))) as unknown as Record<string, [{ Plan: unknown }]>[]
      await tx.execute(sql.raw('deallocate asked'))
      return scansOf(row?.['QUERY PLAN']?.[0].Plan)
    })
  }

  /** Creates `count` activities, each in its own directory, and as many notables. */
  async function fill(repo: TestRepository, count: number): Promise<void> {
    const scope = { paths: ['far/away/**'] }
    await repo.insertCopies(activities, await repo.createActivity({ scope, branch: 'far' }), count)
    await repo.insertCopies(notables, await repo.createNotable({ scope }), count)
    await raw`update activities set branch = 'b' || id where repo_id = ${repo.id}`
    await raw`update claims set place = '/d' || record_id || '/' where repo_id = ${repo.id} and record_id like '____0%'`
  }

  /** The statements on the repository. Background work of this process may run others at any time. */
  async function statementsOn(repo: TestRepository, work: () => Promise<unknown>): Promise<string[]> {
    const seen = await statementsOf(work)
    return [...seen].flatMap(([text, values]) =>
      values.some((each) => Number(each) === repo.id) ? text : [],
    )
  }

  test('reads what overlaps with the search for it', async () => {
    const repo = repository()
    const id = await repo.createActivity({ scope: { paths: ['src/a.ts'] } })
    const beat = () => statementsOn(repo, () => repo.request('POST', `/activity/${id}/heartbeat`))
    const alone = await beat()
    await repo.createActivity({ scope: { paths: ['src/**'] } })
    expect(alone.length).toBeGreaterThan(1)
    expect((await beat()).filter((each) => !alone.includes(each))).toEqual([])
  })

  test('executes one statement for a check that finds nothing', async () => {
    const repo = repository()
    const check = () => repo.check({ scope: { paths: ['src/a.ts'] }, branch: 'mine' })
    await repo.createActivity({ scope: { paths: ['lib/**'] } })
    expect(await statementsOn(repo, check)).toHaveLength(1)
  })

  test('uses in a check what another instance has stored with the repository', async () => {
    const repo = repository()
    await repo.createActivity({ scope: { paths: ['src/a.ts'] } })
    const overlaps = async () => (await repo.check({ scope: { paths: ['src/**'] } })).overlap_detected
    expect(await overlaps()).toBe(true)
    await raw`update repositories set settings = '{"ignore_paths": ["src/a.ts"]}' where repo_id = ${repo.id}`
    expect(await overlaps()).toBe(false)
    await raw`update repositories set settings = null where repo_id = ${repo.id}`
    expect(await overlaps()).toBe(true)
  })

  describe('in a repository unknown to the planner’s statistics, among many claims', () => {
    const COUNT = 5000
    let statements: Map<string, unknown[]>
    let answer: Awaited<ReturnType<TestRepository['check']>>

    beforeAll(async () => {
      for (const table of ['activities', 'notables', 'claims', 'tallies'])
        await raw.unsafe(`alter table ${table} set (autovacuum_enabled = false)`)
      await fill(repository(), COUNT)
      await raw`analyze`
      const repo = repository()
      await fill(repo, COUNT)
      await repo.createActivity({ scope: { paths: ['src/*.ts'] } })
      await repo.createActivity({ scope: { paths: ['src/pay/till.ts'], areas: ['pay'] } })
      await repo.createNotable({ scope: { paths: ['lib/**'] } })
      const scope = { areas: ['pay'], paths: ['src/a.ts', 'src/pay', 'lib/**/*.ts', '{x,y}/*.md'] }
      statements = await statementsOf(async () => {
        answer = await repo.check({ scope, branch: 'mine', base_branch: 'main' })
      })
    })

    test('a check finds all overlaps', () => {
      expect(answer).toMatchObject({
        total_related: 3,
        checked_against: { activities: COUNT + 3, notables: COUNT + 2, complete: true },
      })
    })

    /** Every scan of the growing tables by any statement of the check. */
    async function largeScans(): Promise<Scan[]> {
      const scans: Scan[] = []
      for (const [statement, values] of statements)
        if (/\b(?:claims|activities|notables)\b/.test(statement))
          scans.push(...(await explain(statement, values)))
      return scans.filter(({ table }) => ['claims', 'activities', 'notables'].includes(table))
    }

    test('a check reads only the probed prefixes, by the index', async () => {
      const large = await largeScans()
      expect(large.length).toBeGreaterThan(15)
      expect(large.filter(({ type }) => type === 'Seq Scan')).toEqual([])
      expect(large.filter(({ condition }) => !/\brepo_id = /.test(condition))).toEqual([])
      const onClaims = large.filter(({ table }) => table === 'claims')
      expect(onClaims.length).toBeGreaterThan(5)
      expect(onClaims.filter(({ condition }) => !/\bplace\b/.test(condition))).toEqual([])
      expect(large.filter(({ read }) => read > 10)).toEqual([])
    })

    test('a check does so too when the statistics contain one large repository among many small ones', async () => {
      const columns = await raw`select column_name as name from information_schema.columns
        where table_name = 'activities' and is_generated = 'NEVER' and column_name <> 'repo_id'`
      const names = columns.map(({ name }) => name).join(', ')
      await raw`update activities set base_branch = 'main'`
      await raw.unsafe(`insert into activities (repo_id, ${names}) select 1000000 + n, ${names}
        from (select * from activities order by repo_id desc, id limit 50) as few, generate_series(1, 1000) as n`)
      await raw`update activities set updated_at = updated_at + interval '1 second'`
      await raw`analyze activities`
      expect((await largeScans()).filter(({ read }) => read > 10)).toEqual([])
    })
  })
})
