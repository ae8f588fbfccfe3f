/** Several processes of the service with the GitHub App on one database. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import type { Permission } from './github-state.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import type { Webhook } from './webhook-payload.ts'
import { signedDelivery } from './webhooks.ts'

const WEBHOOK_SECRET = 'hush'

export interface Deployment {
  githubServer: FakeGithubServer
  /** Starts `count` instances at once; `env` contains at least the database. `program`: see `startProcess`. */
  start(count: number, env: Record<string, string | undefined>, program?: string[]): Promise<ServiceProcess[]>
  /** Sets Ada's permission on GitHub in all repositories. */
  grant(permission: Permission): void
  /** Posts a signed delivery, with this id or its own, to the service at `url`. Returns the status. */
  deliver(url: string, webhook: Webhook, id?: string): Promise<number>
  close(): Promise<void>
}

/** Starts a fake GitHub with these repositories of `acme`, with ids from 1 and the App installed. */
export async function startDeployment(names: string[]): Promise<Deployment> {
  const githubServer = await startFakeGithubServer({
    repositories: names.map((full_name, index) => ({ id: index + 1, full_name })),
  })
  const { app } = githubServer.github
  const services: ServiceProcess[] = []
  const grant = (permission: Permission) =>
    githubServer.github.token('ada', {
      login: 'ada',
      id: 1,
      permissions: Object.fromEntries(names.map((name) => [name, permission])),
    })
  grant('write')
  app.install({ account: 'acme' })
  return {
    githubServer,
    grant,
    async start(count, env, program) {
      const common = {
        GITHUB_API_URL: githubServer.url,
        GITHUB_WEB_URL: githubServer.url,
        APP_ID: String(app.id),
        PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
        WEBHOOK_SECRET,
        RATE_LIMIT_PER_MINUTE: '1000000',
        PERMISSION_TTL_MS: '300000',
      }
      const started = await Promise.all(
        Array.from({ length: count }, () => startProcess({ ...common, ...env }, program)),
      )
      services.push(...started)
      return started
    },
    async deliver(url, webhook, id) {
      const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...webhook, ...(id && { id }) })
      const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
      await response.arrayBuffer()
      return response.status
    },
    async close() {
      await Promise.all(services.map((service) => service.kill('SIGTERM')))
      await githubServer.close()
    },
  }
}
