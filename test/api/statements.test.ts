/** The tables can be distributed by the repository's id: every key begins with it, and every statement includes it (docs/operations.md). */
import { PostgresJsPreparedQuery } from 'drizzle-orm/postgres-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { purgeRepository } from '../../src/server/admin/purge-store.ts'
import { reindex } from '../../src/server/admin/reindex.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import {
  type AppRepository,
  type AppService,
  appRepositories,
  startAppService,
} from '../support/app-service.ts'
import { fakeGithub } from '../support/github.ts'
import { connectRaw } from '../support/postgres.ts'
import { pathOf, ROUTES } from '../support/routes.ts'
import { partsWithoutRepository, plainOf } from '../support/statements.ts'
import { installationEvent, pushEvent, refEvent } from '../support/webhooks.ts'

/** Tables that do not belong to a repository and stay on one node. */
const OTHER = ['jobs', 'quotas']

/** Statements over all repositories, with the reason for each. */
const EXCEPTIONS: [string, RegExp][] = [
  [
    'reindex reads all repositories',
    /^select repo_id from repositories where repositories\.repo_id > \$1 order by /,
  ],
  ['the sweep looks for repositories that are due', /^select repo_id from repositories where .*swept_at <= /],
  [
    'the sweep looks for repositories that the App was removed from',
    /^select repo_id from repositories where .*uninstalled_at <= /,
  ],
  [
    'reconciliation looks for repositories with the App',
    /^select repo_id, owner from repositories where .*installation_id is not null/,
  ],
  [
    'the overview reads the repositories of a list',
    /from repositories left join lateral .* where repositories\.repo_id in /,
  ],
  [
    'an installation has many repositories',
    /^select .* from repositories where repositories\.installation_id = \$1$/,
  ],
]

describe.skipIf(process.env.TEST_DATABASE_KIND === 'embedded')('every statement', () => {
  const github = fakeGithub()
  const seen = new Set<string>()
  let service: AppService
  let repo: AppRepository
  let tables: string[]

  beforeAll(async () => {
    const executed = vi.spyOn(PostgresJsPreparedQuery.prototype, 'execute')
    service = await startAppService(github)
    repo = appRepositories(github, () => service)()
    const sql = connectRaw(service.app.config.database_url as string)
    const rows = await sql`select table_name as name from information_schema.columns
      where column_name = 'repo_id' and table_schema = 'public'`
    await sql.end()
    tables = rows.map(({ name }) => name as string).filter((name) => !OTHER.includes(name))
    await work()
    for (const query of executed.mock.contexts as PostgresJsPreparedQuery<never>[])
      seen.add(plainOf(query.getQuery().sql))
    executed.mockRestore()
  })
  afterAll(async () => {
    await service.close()
    github.close()
  })

  /** Corrects the claims of a live record of each kind, of a record that does not exist, and the tallies. */
  async function reindexWrong(): Promise<void> {
    await repo.createActivity({ scope: { paths: ['src/**'] } })
    await repo.createNotable({ scope: { paths: ['src/**'] } })
    const raw = connectRaw(service.app.config.database_url as string)
    await raw`delete from claims`
    await raw`update tallies set count = count + 1`
    await raw`insert into claims values (${repo.id}, '/', 2, '', 'act_gone', 0)`
    await raw.end()
    const { corrected, stray } = await reindex(service.app.database.connection())
    expect(corrected).toBe(2)
    expect(stray).toBe(1)
  }

  /** Everything that the service does: operations, deliveries, jobs, sweeps, a reindex and a purge. */
  async function work(): Promise<void> {
    const { githubRepo, full_name } = repo
    const scope = { areas: ['pay'], paths: ['src/**', 'README.md'] }
    const ids = {
      act: await repo.createActivity({ scope, branch: 'a' }),
      ntb: await repo.createNotable({ scope }),
    }
    await repo.createActivity({ scope, branch: 'b', base_branch: 'a' })
    await repo.createActivity({ scope, risk: 'critical' })
    for (const route of ROUTES) {
      const headers = { 'Idempotency-Key': route.name }
      const [, body] = [
        route.name,
        route.body && { ...route.body, ...(route.path.includes('check') && { scope, branch: 'a' }) },
      ]
      for (let time = 0; time < 2; time += 1)
        await repo.request(route.method, pathOf(route, ids), { body, headers })
    }
    const filters = 'status=archived&risk=low&actor=Ada&branch=a&has_pr=true&draft_pr_only=true&limit=1'
    await repo.request('GET', `/activity?${filters}`)
    await repo.request('GET', '/notables?status=expired&area=pay&category=api&importance=low')
    await repo.request('GET', '/notables?area=pay')
    await service.api('GET', '/api/v1/repos')
    const merged = await repo.createActivity({ scope })
    await repo.request('PATCH', `/activity/${merged}`, { body: { status: 'merged' } })
    await repo.request('POST', `/activity/${merged}/archive`)
    await repo.createNotable({ scope, supersedes: [ids.ntb] })
    await repo.check({ branch: 'b' })
    const installation = github.app.install({ repositories: [full_name] })
    const { number } = githubRepo.open({ files: ['src/a.ts'], head: 'c' })
    const other = githubRepo.open({ files: ['src/a.ts'], head: 'b' })
    await service.deliverAndRun(
      installationEvent(github, installation, 'created'),
      repo.event(number, 'opened'),
      repo.event(other.number, 'opened'),
      repo.event(number, 'synchronize'),
      pushEvent(github, full_name, { ref: 'refs/heads/a' }),
    )
    githubRepo.merge(number)
    await service.deliverAndRun(
      repo.event(number, 'closed'),
      refEvent(github, full_name, 'delete', { branch: 'b' }),
    )
    // Reconciliation is due after an hour, expiry after a day, and purging after a month.
    for (const hours of [1, 24, 24 * 60]) {
      service.clock.advance(hours * 3_600_000)
      await service.runDueJobs()
      await sweep(service.app)
    }
    await service.deliverAndRun(installationEvent(github, installation, 'deleted'))
    service.clock.advance(31 * 86_400_000)
    await sweep(service.app)
    await reindexWrong()
    await purgeRepository(service.app.database.connection(), repo.id)
  }

  test('on a repository table is restricted to one repository, except for documented ones', () => {
    const lacking = [...seen].filter((statement) => partsWithoutRepository(statement, tables).length > 0)
    const unexplained = lacking.filter((statement) => !EXCEPTIONS.some(([, shape]) => shape.test(statement)))
    expect(unexplained).toEqual([])
  })

  test('was executed on every table in every kind', () => {
    for (const table of tables)
      for (const kind of [`delete from ${table} `, `from ${table} where `])
        expect(
          [...seen].some((statement) => statement.includes(kind)),
          kind,
        ).toBe(true)
    expect(seen.size).toBeGreaterThan(60)
  })

  test('that is an exception is still executed', () => {
    const unused = EXCEPTIONS.filter(([, shape]) => ![...seen].some((statement) => shape.test(statement)))
    expect(unused.map(([reason]) => reason)).toEqual([])
  })

  test('can use keys and indexes that begin with the repository', async () => {
    const sql = connectRaw(service.app.config.database_url as string)
    const rows = await sql`select c.relname as table, i.indexrelid::regclass::text as index,
        pg_get_indexdef(i.indexrelid, 1, true) as first
      from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace`
    await sql.end()
    const own = rows.filter(({ table }) => tables.includes(table))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter(({ first }) => first !== 'repo_id')).toEqual([])
    expect(tables.filter((table) => !own.some((row) => row.table === table))).toEqual([])
  })
})

describe('the checker finds a statement without its repository', () => {
  test.each([
    ['select id from activities', true],
    ['select id from activities where id = $1', true],
    ['select id from activities where repo_id = $1', false],
    [
      'select "id" from "activities" where ("activities"."repo_id" = $1 and ("x" = $2 or "y" = $3)) limit $4',
      false,
    ],
    ['select id from activities where repo_id = $1 or id = $2', true],
    ['select id from activities where (repo_id = $1 and x) or (repo_id = $1 and y)', false],
    ['select id from activities where repo_id > $1', true],
    ['select id from activities order by repo_id = $1', true],
    ["select 'where repo_id = $1' from activities", true],
    [
      'update activities set x = $1 where repo_id = $2 and id in (select id from activities where x = $3)',
      true,
    ],
    ['update activities set x = $1 where id in (select id from activities where repo_id = $3)', true],
    [
      'update activities set x = $1 where repo_id = $2 and id in (select id from activities where repo_id = $3 limit 5 for update)',
      false,
    ],
    ['insert into activities (id, title) values ($1, $2)', true],
    ['insert into activities (repo_id, id) values ($1, $2) on conflict (id) do nothing', true],
    [
      'insert into activities (repo_id, id) values ($1, $2) on conflict (repo_id, id) do update set x = 1',
      false,
    ],
    ['delete from jobs where id = $1', false],
  ])('%s: %s', (statement, lacks) => {
    expect(partsWithoutRepository(statement, ['activities']).length > 0).toBe(lacks)
  })
})
