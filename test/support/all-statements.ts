/** Runs everything that the service does, and collects the statements that it executes. */
import { sql } from 'drizzle-orm'
import { purgeRepository } from '../../src/server/operations/admin/purge-store.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { type AppService, startAppService } from './app-service.ts'
import { rowsOf } from './database.ts'
import { type FakeGithub, fakeGithub } from './github.ts'
import type { PullFile } from './github-state.ts'
import { watchStatements } from './held-statements.ts'
import { type TrackedRepository, trackedRepositories } from './pull-request-service.ts'
import { pathOf, ROUTES } from './routes.ts'
import { installationEvent, pushEvent, refEvent } from './webhooks.ts'

/** Tables with a `repo_id` that do not belong to a repository and stay on one node. */
export const OTHER_TABLES = ['jobs']

/** Statements over all repositories, with the reason for each. */
export const ACROSS_REPOSITORIES: [string, RegExp][] = [
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
    /from repositories left join live_sets .* where repositories\.repo_id in /,
  ],
  [
    'the settings of an organisation are those of its `.github` repository',
    /^select settings, settings_errors from repositories where repositories\.installation_id = \$1 and lower\(/,
  ],
  ['the sweep looks for installations without repositories', / not in \(select installation_id from repos/],
  ['an installation has many repositories', / where repositories\.installation_id = \$1$/],
]

export interface Executed {
  text: string
  /** Of its first execution. */
  values: unknown[]
}

export type AllStatements = Awaited<ReturnType<typeof collectStatements>>

/** Begins the statements that are not of the service. */
const OF_TEST = '/* test */'

/** A statement on one line without strings and comments. */
function plainOf(statement: string): string {
  return statement
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

export async function collectStatements() {
  const github = fakeGithub()
  /** By the text on one line without quotes and strings. */
  const statements = new Map<string, Executed>()
  const stop = watchStatements((text, values) => {
    if (text.startsWith(OF_TEST)) return undefined
    const plain = plainOf(text)
    if (!statements.has(plain)) statements.set(plain, { text, values })
    return undefined
  })
  const service = await startAppService(github)
  const close = async () => {
    await service.close()
    github.close()
  }
  try {
    await doEverything(service, trackedRepositories(github, service)(), github)
    /** The tables that belong to repositories. */
    const tables = await listTables(service)
    return { service, tables, statements, close }
  } catch (error) {
    await close()
    throw error
  } finally {
    stop()
  }
}

async function listTables({ app }: AppService): Promise<string[]> {
  const statement = sql`${sql.raw(OF_TEST)} select table_name as name from information_schema.columns
    where column_name = 'repo_id' and table_schema = 'public'`
  const rows = rowsOf(await app.database.connection().execute(statement))
  return rows.map(({ name }) => name as string).filter((name) => !OTHER_TABLES.includes(name))
}

/** Everything that the service does: operations, deliveries, jobs, sweeps and a purge. */
async function doEverything(service: AppService, repo: TrackedRepository, github: FakeGithub): Promise<void> {
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
    const body = route.body && {
      ...route.body,
      ...(route.path.includes('check') && { scope, branch: 'a' }),
    }
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
  const shared = `${full_name.split('/')[0]}/.github`
  github.repository({ id: 9000, full_name: shared })
  const push = github.at(shared).write('.github/deconflict.yml', 'comment: {budget: 0.1}')
  const installation = github.app.install({ repositories: [full_name, shared] })
  const edit = (line: string) => ({
    filename: 'src/a.ts',
    status: 'modified' as const,
    patch: `@@ -9 +9 @@\n${line}`,
  })
  const { number } = githubRepo.open({ files: [edit('+pay(2)')], head: 'c' })
  const other = githubRepo.open({ files: [edit('-stop()\n+pay(1)')], head: 'b' })
  await service.deliverAndRun(
    installationEvent(github, installation, 'created'),
    repo.event(number, 'opened'),
    repo.event(other.number, 'opened'),
    repo.event(number, 'synchronize'),
    pushEvent(github, full_name, { ref: 'refs/heads/a' }),
    pushEvent(github, full_name, { ref: 'refs/heads/main', message: 'Revert "Pay (#1)"' }),
  )
  // A branch on top of an open pull request.
  const stacked = { ...githubRepo.push('d'), commits: [githubRepo.pull(number).head.sha] }
  await service.deliverAndRun(pushEvent(github, full_name, stacked))
  // A merge of lines that another one adds again, and that a third one removes.
  const lines = Array.from({ length: 8 }, (_, at) => `retryPayment(${at})`)
  const added = lines.map((line) => `+${line}`).join('\n')
  const removed = lines.map((line) => `-${line}`).join('\n')
  const filename = 'src/retry.ts'
  const files: PullFile[] = [{ filename, status: 'added', patch: `@@ -0,0 +1,8 @@\n${added}` }]
  const back: PullFile[] = [{ filename, status: 'removed', patch: `@@ -1,8 +0,0 @@\n${removed}` }]
  for (const changed of [files, files, back]) {
    const pull = githubRepo.open({ files: changed })
    await service.deliverAndRun(repo.event(pull.number, 'opened'))
    githubRepo.merge(pull.number)
    await service.deliverAndRun(repo.event(pull.number, 'closed'))
  }
  await service.deliverAndRun(pushEvent(github, shared, { ...push, modified: ['.github/deconflict.yml'] }))
  githubRepo.merge(number)
  await service.deliverAndRun(
    repo.event(number, 'closed'),
    refEvent(github, full_name, 'delete', { branch: 'b' }),
  )
  // A delivery that failed is asked for again.
  github.app.addDelivery({ event: 'push', status_code: 500 })
  await service.enqueueFirstJobs()
  // Reconciliation is due after an hour, expiry after a day, and purging after a month.
  for (const hours of [1, 24, 24 * 60]) {
    service.clock.advance(hours * 3_600_000)
    await service.runDueJobs()
    await sweep(service.app)
  }
  await service.deliverAndRun(installationEvent(github, installation, 'deleted'))
  service.clock.advance(31 * 86_400_000)
  await sweep(service.app)
  await purgeRepository(service.app.database.connection(), repo.id)
}
