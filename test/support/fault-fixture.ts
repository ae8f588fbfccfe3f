/** The fixture of the fault tests: a fake GitHub with one repository and its writers. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'

export interface FaultFixture extends FakeGithubServer {
  /** The environment of a service that uses this GitHub. */
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
