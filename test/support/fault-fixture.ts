/** What every fault happens to: one repository, a writer, and a GitHub that knows both. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'

/** For what happens at some time soon, also on a slow machine. */
export const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }

export interface FaultFixture extends FakeGithubServer {
  /** What the service is told of it. */
  env: Record<string, string>
}

export async function startFaultFixture(): Promise<FaultFixture> {
  const githubServer = await startFakeGithubServer({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: ['ada', 'ben'].map((login, index) => ({
      token: login,
      login,
      id: index + 1,
      permissions: { 'acme/shop': 'write' as const },
    })),
  })
  return { ...githubServer, env: { GITHUB_API_URL: githubServer.url, RATE_LIMIT_PER_MINUTE: '1000000' } }
}
