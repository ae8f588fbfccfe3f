/** The built service with its own database and a fake GitHub that has one repository. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { freshDatabase } from './database.ts'
import { startProcess } from './process.ts'

export interface BuiltService {
  /** Address of the service. */
  url: string
  github: FakeGithubServer
  close(): Promise<void>
}

/** In `acme/shop`, tok-ada and tok-ben have write access, and tok-rita has read access. */
export async function startBuiltService(env: Record<string, string> = {}): Promise<BuiltService> {
  const user = (login: string, id: number, permission: 'read' | 'write') => ({
    token: `tok-${login}`,
    login,
    id,
    permissions: { 'acme/shop': permission },
  })
  const github = await startFakeGithubServer({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [user('ada', 1, 'write'), user('ben', 2, 'write'), user('rita', 3, 'read')],
  })
  const database = await freshDatabase()
  const service = await startProcess({
    DATABASE_URL: database.database_url,
    GITHUB_API_URL: github.url,
    RATE_LIMIT_PER_MINUTE: '100000',
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
