/** `npm run demo`: a guided demo without network access: a fake GitHub, the service on an embedded database, and two agents. `--verbose` shows requests and responses, `--once` ends after the last step. */
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from '../src/server/base/config.ts'
import { type Service, startService } from '../src/server/server.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { demoLines, demoNumbers, demoPullRequests } from './demo-pull-requests.ts'
import { startFakeGithubServer } from './fake-github-server.ts'
import { conclude, detail, frame, heading, type Narrator, narrator, say } from './narrate.ts'

const PERMISSIONS = { 'acme/shop': 'write' as const, 'acme/tour': 'write' as const }
const ADA = { token: 'demo-token-ada', login: 'ada', id: 1, permissions: PERMISSIONS }
const BEN = { token: 'demo-token-ben', login: 'ben', id: 2, permissions: PERMISSIONS }
const WEBHOOK_SECRET = 'demo-secret'

async function main(): Promise<void> {
  say('The Deconflict demo. Nothing leaves this machine: a fake GitHub replaces the real one.\n')
  detail('Starting the service on a new embedded database; the first start takes a few seconds …')
  const github = await startFakeGithubServer({
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
    await demoActivities(narrator('Ada’s agent', api, ADA.token), ben)
    await demoIssue(narrator('Ada’s agent', api, ADA.token), ben)
    const demo = { url: service.url, github: github.github, webhook_secret: WEBHOOK_SECRET }
    await demoPullRequests(demo, ben)
    await demoLines(demo, ben)
    await demoNumbers(demo)
    if (process.argv.includes('--once')) return
    printInstructions(service)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    await close()
  }
}

async function demoActivities(ada: Narrator, ben: Narrator): Promise<void> {
  heading('Ada’s agent declares its work')
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
  conclude('Ada’s agent declares work on src/checkout/**. It overlaps with nothing yet.', {
    text: 'The activity expires after a day without a heartbeat. It overlaps with nothing yet.',
  })

  heading('Ben’s agent checks before it starts')
  const intent = { branch: 'tidy-retries', base_branch: 'main', scope: { paths: ['src/**/retry.ts'] } }
  const check = await ben('POST', '/activity/check', {
    body: intent,
    show: ['overlap_detected', 'severity', 'reason', 'matches', 'recommended_action', 'checked_against'],
  })
  const example = check.matches[0]?.paths[0]?.example
  if (check.related_activity_ids[0] !== activity.id || !example)
    throw new Error('the check did not find the collision')
  conclude('Ben’s agent checks src/**/retry.ts before it starts. The globs look nothing alike, but:', {
    text: `The two globs look nothing alike, but both match ${example}. Nobody has pushed anything yet.`,
    isWarning: true,
  })
  frame([
    `${check.severity} · collision with “${activity.title}” by ${activity.actor} on ${activity.branch}`,
    `both match ${example}`,
    check.recommended_action,
  ])

  heading('Ada’s agent creates a notable for everyone who works on checkout')
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
  conclude('Ada’s agent creates a notable, which everyone who checks work there sees.', {
    text: 'It expires after a week. Everyone who checks work there sees it, even when no activity is live there.',
  })

  heading('Ben’s agent goes ahead: it declares its own work, and sends the request twice')
  const key = { 'Idempotency-Key': 'demo-ben-1' }
  const body = { title: 'Tidy the retries', summary: 'One helper for all retries.', actor: 'Ben', ...intent }
  const show = ['activity.id', 'overlap.overlap_detected', 'overlap.severity', 'overlap.related_activity_ids']
  const first = await ben('POST', '/activity', { body, headers: key, show })
  const again = await ben('POST', '/activity', { body, headers: key, show: ['activity.id'] })
  if (first.activity.id !== again.activity.id) throw new Error('the retry created a second record')
  conclude('Ben’s agent goes ahead and sends its request twice. There is one record.', {
    text: 'A retry after a lost response is safe: the same key returns the same record and the same response.',
  })

  heading('Ada’s agent sees it in the response to its next heartbeat')
  const beat = await ada('POST', `/activity/${activity.id}/heartbeat`, {
    show: ['heartbeat_at', 'expires_at', 'overlap'],
  })
  if (!beat.overlap.related_activity_ids.includes(first.activity.id))
    throw new Error('the heartbeat did not report the collision')
  conclude('Ada’s agent, which came first, is told of Ben’s work in the answer to its heartbeat.', {
    text: 'The agent that came first is also informed about later collisions.',
    isWarning: true,
  })

  heading('Ada’s work is merged and archived')
  await ada('PATCH', `/activity/${activity.id}`, {
    body: { status: 'ready-for-review' },
    show: ['id', 'status'],
  })
  await ada('PATCH', `/activity/${activity.id}`, { body: { status: 'merged' }, show: ['id', 'status'] })
  await ada('POST', `/activity/${activity.id}/archive`, { show: ['status', 'archived_at'] })
  conclude('Ada’s work is merged, and its activity is archived.', {
    text: 'The agent does this itself here. With the GitHub App, a merge does it; see below.',
  })

  heading('Ben’s agent checks again')
  const last = await ben('POST', '/activity/check', {
    body: intent,
    show: ['related_activity_ids', 'related_notable_ids', 'reason', 'reuse_opportunities'],
  })
  if (last.related_activity_ids.length > 0) throw new Error('the archived activity still collides')
  conclude('Ben’s agent checks again: no collision, and merged work to pull first.', {
    text: 'There is no collision any more. The notable still applies, and there is merged work to pull first.',
  })
}

/** Two agents want the same issue. Throws unless the first one holds it, and the second one hears so. */
async function demoIssue(ada: Narrator, ben: Narrator): Promise<void> {
  heading('Ada’s and Ben’s agents take the same issue from the backlog')
  const start = (agent: Narrator, actor: string, branch: string) =>
    agent('POST', '/activity', {
      body: { title: 'Gift cards', summary: 'Issue 7.', actor, branch, base_branch: 'main', issue: 7 },
      show: ['issue', 'overlap.severity', 'overlap.recommended_action'],
    })
  const first = await start(ada, 'Ada', '7-gift-cards')
  const second = await start(ben, 'Ben', 'gift-cards')
  if (!first.issue.claimed || second.issue.claimed || second.issue.holder.activity_id !== first.activity.id)
    throw new Error('the issue has no holder')
  conclude('Two agents start on issue 7. The first one holds it; the second one hears it at once:', {
    text: 'Exactly one holds an issue, also if both start in the same instant. Nothing is refused.',
    isWarning: true,
  })
  frame([second.overlap.recommended_action])
  for (const [agent, { activity }] of [
    [ada, first],
    [ben, second],
  ] as const)
    await agent('POST', `/activity/${activity.id}/archive`, { show: ['status'] })
}

function printInstructions({ url, signInUrl }: Service): void {
  const environmentOf = (token: string) =>
    `export DECONFLICT_URL=${url} DECONFLICT_REPO=acme/tour GITHUB_TOKEN=${token}`
  heading('Your turn')
  say('\nThe service keeps running until Ctrl-C. For docs/tour.md, in two terminals:')
  say(`  Ada: ${environmentOf(ADA.token)}`)
  say(`  Ben: ${environmentOf(BEN.token)}`)
  say('The page, which signs you in as Ada, once:')
  say(`  ${signInUrl(ADA.token, '/#/acme/shop')}`)
}

await main()
