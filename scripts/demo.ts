/** `npm run demo`: a guided demo without network access: two agents in one clone, and then with the service on an embedded database and a fake GitHub. `--once` ends after the last step. */
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from '../src/server/platform/config.ts'
import { type Service, startService } from '../src/server/server.ts'
import { startDeployment } from '../test/support/deployment.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { demoActivities, demoIssue } from './demo/agents.ts'
import { demoClone } from './demo/clone.ts'
import { demoLines, demoNumbers, demoPullRequests } from './demo/pull-requests.ts'
import { agentAt, say } from './demo/screen.ts'

async function main(): Promise<void> {
  say('The Deconflict demo. Nothing leaves this machine.\n\nIn one clone:')
  await demoClone()
  say('\nWith a service, and a fake GitHub in place of the real one:')
  const deployment = await startDeployment(['acme/shop', 'acme/tour'])
  const directory = await temporaryDirectory('demo')
  const config = readConfig({
    PORT: '0',
    ...process.env,
    ...deployment.app_env,
    DATABASE_URL: '',
    DATA_DIR: directory.path,
    HOST: '127.0.0.1',
  })
  const service = await startService(config, { log: pino({ level: 'warn' }) })
  try {
    const [ada, ben] = [agentAt(service.url, 'ada'), agentAt(service.url, 'ben')]
    await demoActivities(ada, ben)
    await demoIssue(ada, ben)
    const demo = { url: service.url, deployment, api: ben }
    await demoPullRequests(demo)
    await demoLines(demo)
    await demoNumbers(demo)
    if (process.argv.includes('--once')) return
    printInstructions(service)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    await service.close()
    await deployment.close()
    await directory.remove()
  }
}

function printInstructions({ url, signInUrl }: Service): void {
  const environmentOf = (token: string) =>
    `export DECONFLICT_URL=${url} DECONFLICT_REPO=acme/tour GITHUB_TOKEN=${token}`
  say('\nThe service keeps running until Ctrl-C. For docs/tour.md, in two terminals:')
  say(`  Ada: ${environmentOf('ada')}`)
  say(`  Ben: ${environmentOf('ben')}`)
  say('The page, which signs you in as Ada, once:')
  say(`  ${signInUrl('ada', '/#/acme/shop')}`)
}

await main()
