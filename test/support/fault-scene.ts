/** What every fault happens to: one repository, a writer, and a GitHub that knows both. */
import { type GithubStandIn, startGithubStandIn } from '../../scripts/github-stand-in.ts'

/** For what happens at some time soon, also on a slow machine. */
export const PATIENT = { timeout: 60_000, interval: 20 }

export interface Scene extends GithubStandIn {
  /** What the service is told of it. */
  env: Record<string, string>
}

export async function startScene(): Promise<Scene> {
  const stand = await startGithubStandIn({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: ['ada', 'ben'].map((login, index) => ({
      token: login,
      login,
      id: index + 1,
      permissions: { 'acme/shop': 'write' as const },
    })),
  })
  return { ...stand, env: { GITHUB_API_URL: stand.url, RATE_LIMIT_PER_MINUTE: '1000000' } }
}
