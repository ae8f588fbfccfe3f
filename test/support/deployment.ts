/** A fake GitHub with repositories, for processes of the service, with its GitHub App or without. */
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import type { Permission } from './github-state.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import type { Webhook } from './webhook-payload.ts'
import { signedDelivery } from './webhooks.ts'

const WEBHOOK_SECRET = 'hush'

export interface Deployment extends FakeGithubServer {
  /** The environment of a service without the App, but for its database. */
  env: Record<string, string>
  /** The same with the App. */
  app_env: Record<string, string>
  /** Starts `count` instances with the App at once; `env` contains at least the database. `program`: see `startProcess`. */
  start(count: number, env: Record<string, string | undefined>, program?: string[]): Promise<ServiceProcess[]>
  /** Sets Ada's permission on GitHub in all repositories. */
  grant(permission: Permission): void
  /** Posts a signed delivery, with this id or its own, to the service at `url`. Returns the status. */
  deliver(url: string, webhook: Webhook, id?: string): Promise<number>
}

/** Starts a fake GitHub with these repositories of `acme`, with ids from 1 and the App installed. Ada and Ben may write. */
export async function startDeployment(names = ['acme/shop']): Promise<Deployment> {
  const githubServer = await startFakeGithubServer({
    repositories: names.map((full_name, index) => ({ id: index + 1, full_name })),
  })
  const { github, url } = githubServer
  const services: ServiceProcess[] = []
  const grantTo = (login: string, id: number, permission: Permission) =>
    github.token(login, {
      login,
      id,
      permissions: Object.fromEntries(names.map((name) => [name, permission])),
    })
  grantTo('ada', 1, 'write')
  grantTo('ben', 2, 'write')
  github.app.install({ account: 'acme' })
  const env = { GITHUB_API_URL: url, RATE_LIMIT_PER_MINUTE: '1000000' }
  const app_env = {
    ...env,
    GITHUB_WEB_URL: url,
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
  }
  return {
    ...githubServer,
    env,
    app_env,
    grant: (permission) => grantTo('ada', 1, permission),
    async start(count, given, program) {
      const all = { ...app_env, PERMISSION_TTL_MS: '300000', ...given }
      const started = await Promise.all(Array.from({ length: count }, () => startProcess(all, program)))
      services.push(...started)
      return started
    },
    async deliver(to, webhook, id) {
      const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...webhook, ...(id && { id }) })
      const response = await fetch(`${to}/api/github/webhooks`, { method: 'POST', ...delivery })
      await response.arrayBuffer()
      return response.status
    },
    async close() {
      await Promise.all(services.map((service) => service.kill('SIGTERM')))
      await githubServer.close()
    },
  }
}
