/** The part of the demo with two agents. Each step throws unless it shows what it says. */
import { type Agent, frame, tell, warn } from './screen.ts'

export async function demoActivities(ada: Agent, ben: Agent): Promise<void> {
  const { activity } = await ada('POST', '/activity', {
    title: 'Retry declined payments',
    summary: 'Retries a declined payment twice before the order is cancelled.',
    actor: 'Ada',
    agent: 'claude-code',
    branch: 'payment-retries',
    base_branch: 'main',
    scope: { areas: ['checkout'], paths: ['src/checkout/**', 'docs/payments.md'] },
  })
  tell('Ada’s agent declares work on src/checkout/**. It overlaps with nothing yet.')

  const intent = { branch: 'tidy-retries', base_branch: 'main', scope: { paths: ['src/**/retry.ts'] } }
  const check = await ben('POST', '/activity/check', intent)
  const [match] = check.matches
  if (match?.id !== activity.id || match.consequence !== 'possible')
    throw new Error('the check did not find the overlap')
  warn('Ben’s agent checks src/**/retry.ts before it starts. The globs look nothing alike, but:')
  frame([
    `possible overlap, ${match.severity}: “${match.title}” by ${match.actor} on ${match.branch}`,
    `both match ${match.paths[0].example}`,
    check.recommended_action,
  ])

  const body = { title: 'Tidy the retries', summary: 'One helper for all retries.', actor: 'Ben', ...intent }
  await ben('POST', '/activity', body)
  await ada('PATCH', `/activity/${activity.id}`, { status: 'merged' })
  await ada('POST', `/activity/${activity.id}/archive`)
  const last = await ben('POST', '/activity/check', intent)
  if (last.related_activity_ids.length > 0) throw new Error('the archived activity still overlaps')
  tell('Ada’s work is merged. Ben’s agent checks again: no overlap, and merged work to pull first.')
}

/** Two agents want the same issue: the first one holds it, and the second one hears so. */
export async function demoIssue(ada: Agent, ben: Agent): Promise<void> {
  const start = (agent: Agent, actor: string, branch: string) => {
    const body = { title: 'Gift cards', summary: 'Issue 7.', actor, branch, base_branch: 'main', issue: 7 }
    return agent('POST', '/activity', body)
  }
  const first = await start(ada, 'Ada', '7-gift-cards')
  const second = await start(ben, 'Ben', 'gift-cards')
  if (!first.issue.claimed || second.issue.claimed || second.issue.holder.activity_id !== first.activity.id)
    throw new Error('the issue has no holder')
  warn('Two agents start on issue 7. The first one holds it; the second one hears it at once:')
  frame([second.overlap.recommended_action])
  await ada('POST', `/activity/${first.activity.id}/archive`)
  await ben('POST', `/activity/${second.activity.id}/archive`)
}
