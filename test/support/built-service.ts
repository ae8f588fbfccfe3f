/** The service with its own database and a fake GitHub that has one repository, in the test's process or built and as a process. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { startProcess } from './process.ts'

const REPOSITORIES = ['acme/shop', 'acme/mcp']

/** In each repository, tok-ada and tok-ben have write access, and tok-rita has read access. */
async function startGithub(): Promise<FakeGithubServer> {
  const server = await startFakeGithubServer()
  server.github.repositories(REPOSITORIES, 7)
  const permissions = { ada: 'write', ben: 'write', rita: 'read' } as const
  server.github.users(REPOSITORIES, permissions, (login) => `tok-${login}`)
  return server
}

export type BuiltService = Awaited<ReturnType<typeof startBuiltService>>

/** In the test's process, with the real clock. */
export async function startShopService() {
  const github = await startGithub()
  const { url } = github
  // Loaded on demand: it loads the service, which tests of processes do not need.
  const { startTestService } = await import('./service.ts')
  const config = { github_api_url: url, github_web_url: url, rate_limit_per_minute: 100_000 }
  const service = await startTestService({ token: 'tok-ada', config, realClock: true })
  return {
    ...service,
    github,
    async close() {
      await service.close()
      await github.close()
    },
  }
}

/** The built service as a process. Default: on a GitHub and a database of its own. */
export async function startBuiltService(
  env: Record<string, string> = {},
  given: { github?: FakeGithubServer; database?: FreshDatabase } = {},
) {
  const github = given.github ?? (await startGithub())
  const database = given.database ?? (await freshDatabase())
  const service = await startProcess({
    DATABASE_URL: database.database_url,
    DATA_DIR: database.data_dir,
    GITHUB_API_URL: github.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...env,
  })
  return {
    url: service.url,
    github,
    async close() {
      await service.kill('SIGTERM')
      await database.drop()
      await github.close()
    },
  }
}
