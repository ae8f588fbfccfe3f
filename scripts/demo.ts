/** `npm run demo`: the main job, offline: a GitHub on loopback, the service on an embedded database, and two agents. */
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from '../src/base/config.ts'
import { startService } from '../src/server.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { playPullRequests } from './demo-pull-requests.ts'
import { startGithubStandIn } from './github-stand-in.ts'
import { explain, heading, type Narrator, narrator, say } from './narrate.ts'

const BOTH = { 'acme/shop': 'write' as const, 'acme/tour': 'write' as const }
const ADA = { token: 'demo-token-ada', login: 'ada', id: 1, permissions: BOTH }
const BEN = { token: 'demo-token-ben', login: 'ben', id: 2, permissions: BOTH }
const WEBHOOK_SECRET = 'demo-secret'

async function main(): Promise<void> {
  say('Deconflict, the demo. Nothing leaves this machine: GitHub is played by a stand-in on loopback.')
  say('Starting the service on a new embedded database; the first start takes some seconds …')
  const github = await startGithubStandIn({
    users: [ADA, BEN],
    repositories: [
      { id: 7, full_name: 'acme/shop' },
      { id: 8, full_name: 'acme/tour' },
    ],
  })
  const directory = await temporaryDirectory('demo')
  const environment = { ...process.env, DATABASE_URL: '', DATA_DIR: directory.path, HOST: '127.0.0.1' }
  const config = readConfig({
    PORT: '0',
    ...environment,
    GITHUB_API_URL: github.url,
    GITHUB_WEB_URL: github.url,
    APP_ID: String(github.github.app.id),
    PRIVATE_KEY: github.github.app.key(),
    WEBHOOK_SECRET,
  })
  const service = await startService(config, { log: pino({ level: 'warn' }) })
  const close = async () => {
    await service.close()
    await github.close()
    await directory.remove()
  }
  try {
    const api = `${service.url}/api/v1/repos/acme/shop`
    const ben = narrator('Ben’s agent', api, BEN.token)
    await play(narrator('Ada’s agent', api, ADA.token), ben)
    await playPullRequests({ url: service.url, github: github.github, webhook_secret: WEBHOOK_SECRET }, ben)
    if (process.argv.includes('--once')) return
    invite(service.url)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    await close()
  }
}

async function play(ada: Narrator, ben: Narrator): Promise<void> {
  heading('Ada’s agent declares what it begins to work on')
  const { activity } = await ada('POST', '/activity', {
    body: {
      title: 'Retry declined payments',
      summary: 'Retries a declined payment twice before the order is cancelled.',
      actor: 'Ada',
      agent: 'claude-code',
      branch: 'payment-retries',
      base_branch: 'main',
      scope: { areas: ['checkout'], paths: ['src/checkout/**', 'docs/payments.md'] },
    },
    show: [
      'activity.id',
      'activity.status',
      'activity.expires_at',
      'overlap.overlap_detected',
      'overlap.reason',
    ],
  })
  explain('The work is on record for a day, or longer as long as heartbeats come. Nobody was there before.')

  heading('Ben’s agent asks before it starts')
  const intent = { branch: 'tidy-retries', base_branch: 'main', scope: { paths: ['src/**/retry.ts'] } }
  const check = await ben('POST', '/activity/check', {
    body: intent,
    show: ['overlap_detected', 'severity', 'reason', 'matches', 'recommended_action', 'checked_against'],
  })
  const example = check.matches[0]?.paths[0]?.example
  if (check.related_activity_ids[0] !== activity.id || !example)
    throw new Error('the demo’s collision was not found')
  explain(
    `The two globs look nothing alike, and still ${example} is matched by both. Nobody has pushed a line yet.`,
  )

  heading('Ada’s agent leaves a notable for everyone in checkout')
  await ada('POST', '/notables', {
    body: {
      title: 'The payment API is frozen until Friday',
      summary: 'The provider switches its sandbox; calls that change the contract will fail.',
      importance: 'high',
      category: 'api-contract',
      scope: { areas: ['checkout'], paths: ['src/checkout/api/**'] },
    },
    show: ['id', 'status', 'importance', 'created_by', 'expires_at'],
  })
  explain('It lasts a week. Whoever is about to work there is told, also if nobody has an activity there.')

  heading('Ben’s agent goes on, deliberately: it declares its own work, and sends it twice')
  const key = { 'Idempotency-Key': 'demo-ben-1' }
  const body = { title: 'Tidy the retries', summary: 'One helper for all retries.', actor: 'Ben', ...intent }
  const show = ['activity.id', 'overlap.overlap_detected', 'overlap.severity', 'overlap.related_activity_ids']
  const first = await ben('POST', '/activity', { body, headers: key, show })
  const again = await ben('POST', '/activity', { body, headers: key, show: ['activity.id'] })
  if (first.activity.id !== again.activity.id) throw new Error('the demo’s retry made a second record')
  explain(
    'A lost answer is no reason to fear a retry: the same key gives the same record and the same answer.',
  )

  heading('Ada’s agent, at work since before, hears of it with its next heartbeat')
  const beat = await ada('POST', `/activity/${activity.id}/heartbeat`, {
    show: ['heartbeat_at', 'expires_at', 'overlap'],
  })
  if (!beat.overlap.related_activity_ids.includes(first.activity.id))
    throw new Error('the demo’s heartbeat told nothing')
  explain('Who claimed first learns of a later collision too.')

  heading('Ada’s work is merged, and archived')
  await ada('PATCH', `/activity/${activity.id}`, {
    body: { status: 'ready-for-review' },
    show: ['id', 'status'],
  })
  await ada('PATCH', `/activity/${activity.id}`, { body: { status: 'merged' }, show: ['id', 'status'] })
  await ada('POST', `/activity/${activity.id}/archive`, { show: ['status', 'archived_at'] })
  explain('Done by hand here; further down, on GitHub, the merge does it.')

  heading('Ben’s agent asks again')
  const last = await ben('POST', '/activity/check', {
    body: intent,
    show: ['related_activity_ids', 'related_notable_ids', 'reason', 'reuse_opportunities'],
  })
  if (last.related_activity_ids.length > 0) throw new Error('the demo’s archived activity still collides')
  explain('Nobody is in the way any more. The notable still holds, and there is merged work to pull first.')
}

function invite(url: string): void {
  const be = (who: string) => `DECONFLICT_URL=${url} DECONFLICT_REPO=acme/tour GITHUB_TOKEN=${who}`
  heading('Your turn')
  say('The service keeps running, with an empty repository acme/tour for the tour of the README.')
  say(`The page, which asks for a token such as ${ADA.token}, shows both:\n`)
  say(`  ${url}/#/acme/shop`)
  say(`  ${url}/#/acme/tour\n`)
  say('Curl and the command take what they need from these. Be Ada in one terminal, and Ben in another:\n')
  say(`  export ${be(ADA.token)}`)
  say(`  export ${be(BEN.token)}\n`)
  say('Ctrl-C ends it and leaves nothing behind.')
}

await main()
