/** `npm run demo`: a guided demo without network access: two agents in one clone, and then with the service on an embedded database and a fake GitHub. `--once` ends after the last step. */
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from '../src/server/platform/config.ts'
import { type Service, startService } from '../src/server/server.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { demoActivities, demoIssue } from './demo/agents.ts'
import { demoClone } from './demo/clone.ts'
import { demoLines, demoNumbers, demoPullRequests } from './demo/pull-requests.ts'
import { agentAt, say } from './demo/screen.ts'
import { startFakeGithubServer } from './fake-github-server.ts'

const PERMISSIONS = { 'acme/shop': 'write' as const, 'acme/tour': 'write' as const }
const ADA = { token: 'demo-token-ada', login: 'ada', id: 1, permissions: PERMISSIONS }
const BEN = { token: 'demo-token-ben', login: 'ben', id: 2, permissions: PERMISSIONS }
const WEBHOOK_SECRET = 'demo-secret'

async function main(): Promise<void> {
  say('The Deconflict demo. Nothing leaves this machine.\n\nIn one clone:')
  await demoClone()
  say('\nWith a service, and a fake GitHub in place of the real one:')
  const github = await startFakeGithubServer({
    users: [ADA, BEN],
    repositories: [
      { id: 7, full_name: 'acme/shop' },
      { id: 8, full_name: 'acme/tour' },
    ],
  })
  const directory = await temporaryDirectory('demo')
  const config = readConfig({
    PORT: '0',
    ...process.env,
    DATABASE_URL: '',
    DATA_DIR: directory.path,
    HOST: '127.0.0.1',
    GITHUB_API_URL: github.url,
    GITHUB_WEB_URL: github.url,
    APP_ID: String(github.github.app.id),
    PRIVATE_KEY: github.github.app.key(),
    WEBHOOK_SECRET,
  })
  const service = await startService(config, { log: pino({ level: 'warn' }) })
  try {
    const [ada, ben] = [agentAt(service.url, ADA.token), agentAt(service.url, BEN.token)]
    await demoActivities(ada, ben)
    await demoIssue(ada, ben)
    const demo = { url: service.url, github: github.github, webhook_secret: WEBHOOK_SECRET, api: ben }
    await demoPullRequests(demo)
    await demoLines(demo)
    await demoNumbers(demo)
    if (process.argv.includes('--once')) return
    printInstructions(service)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    await service.close()
    await github.close()
    await directory.remove()
  }
}

function printInstructions({ url, signInUrl }: Service): void {
  const environmentOf = (token: string) =>
    `export DECONFLICT_URL=${url} DECONFLICT_REPO=acme/tour GITHUB_TOKEN=${token}`
  say('\nThe service keeps running until Ctrl-C. For docs/tour.md, in two terminals:')
  say(`  Ada: ${environmentOf(ADA.token)}`)
  say(`  Ben: ${environmentOf(BEN.token)}`)
  say('The page, which signs you in as Ada, once:')
  say(`  ${signInUrl(ADA.token, '/#/acme/shop')}`)
}

await main()
