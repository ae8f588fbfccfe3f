/** A fake GitHub with repositories, for processes of the service, with its GitHub App or without. */
import { startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import type { Webhook } from './webhook-payload.ts'
import { signedDelivery } from './webhooks.ts'

const WEBHOOK_SECRET = 'hush'

export type Deployment = Awaited<ReturnType<typeof startDeployment>>

/** Starts a fake GitHub with these repositories of `acme`, with ids from 1 and the App installed. Ada and Ben may write. */
export async function startDeployment(names = ['acme/shop']) {
  const githubServer = await startFakeGithubServer()
  const { github, url } = githubServer
  const services: ServiceProcess[] = []
  github.repositories(names, 1)
  github.users(names, { ada: 'write', ben: 'write' })
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
    /** The environment of a service without the App, but for its database. */
    env,
    /** The same with the App. */
    app_env,
    /** Starts `count` instances with the App at once; `given` contains at least the database. `program`: see `startProcess`. */
    async start(count: number, given: Record<string, string | undefined>, program?: string[]) {
      const all = { ...app_env, PERMISSION_TTL_MS: '300000', ...given }
      const started = await Promise.all(Array.from({ length: count }, () => startProcess(all, program)))
      services.push(...started)
      return started
    },
    /** Posts a signed delivery, with this id or its own, to the service at `to`. Returns the status. */
    async deliver(to: string, webhook: Webhook, id?: string) {
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
