/** Schemas of the overview of repositories. */
import { z } from 'zod'
import { boolean, count, object, outputTimestamp, sample, texts } from './field.ts'
import { ConsequenceCounts } from './finding.ts'

export const LOGINS_MAX = 5
/** The maximum number of repositories in the overview. */
export const LISTED_MAX = 200

const Collisions = object('CollisionCounts', {
  high: count('Collisions of severity `high`.'),
  medium: count('Collisions of severity `medium`.'),
  low: count('Collisions of severity `low`.'),
})

const RepositorySummary = object('RepositorySummary', {
  owner: sample('The owner on GitHub.', 'acme'),
  name: sample('The name on GitHub.', 'shop'),
  live_activities: count('Live activities.'),
  collisions: Collisions.nullable().describe(
    'The collisions that `GET …/overlaps` lists, by severity; null if the work budget of the request did not suffice to count them.',
  ),
  consequences: ConsequenceCounts.nullable().describe('The same by what they lead to.'),
  active_notables: count('Active notables.'),
  high_notables: count('Active notables that are blocking, or whose importance is `high` or `critical`.'),
  people: count('People with live activities.'),
  logins: texts(
    `GitHub logins of at most ${LOGINS_MAX} of these people, those with the latest change first.`,
  ).meta({ examples: [['ada']] }),
  last_change_at: outputTimestamp.describe(
    'When a live pull request was last pushed, or other live work or an active notable changed last.',
  ),
})
export type RepositorySummary = z.output<typeof RepositorySummary>

export const RepositoryOverview = object('RepositoryOverview', {
  items: z
    .array(RepositorySummary)
    .describe(
      `Those with collisions of severity \`high\` first, then those with high notables, then those with further collisions; at most ${LISTED_MAX}.`,
    ),
  complete: boolean(
    `False if repositories are missing, because GitHub lists more than 500 for this token, or more than ${LISTED_MAX} have live records.`,
  ).meta({ examples: [true] }),
})
export type RepositoryOverview = z.output<typeof RepositoryOverview>

export function byAttention(one: RepositorySummary, other: RepositorySummary): number {
  const [a, b] = [attentionOf(one), attentionOf(other)]
  const at = a.findIndex((value, index) => value !== b[index])
  if (at >= 0) return (b[at] as number) - (a[at] as number)
  return one.last_change_at < other.last_change_at ? 1 : -1
}

function attentionOf({ collisions, high_notables }: RepositorySummary): number[] {
  const { high, medium, low } = collisions ?? { high: 0, medium: 0, low: 0 }
  return [high, high_notables, medium, low]
}
