/** The schemas of `GET …/signal`: what became of the pairs that were shown; and of `GET …/why`: what a comment shows of each pair of a pull request, and why not. */
import { z } from 'zod'
import { HIDDEN_BECAUSE, type HiddenBecause, OUTCOMES } from '../shown.ts'
import {
  boolean,
  count,
  numberOrNull,
  object,
  outputTimestamp,
  sample,
  textOrNull,
  timestampOrNull,
} from './field.ts'
import { ConsequenceCounts, ConsequenceOfPair, comparedLines } from './finding.ts'
import { Severity } from './overlap.ts'

export const CommentBudget = object('CommentBudget', {
  share: numberOrNull(
    'The share of the pull requests by people opened in the last 30 days that have a comment; null if there were none.',
  ).meta({ examples: [0.11] }),
  limit: z.number().meta({ description: 'The setting `comment.budget`.', examples: [0.15] }),
  in_force: boolean(
    'Whether the share is above the limit, of at least 20 pull requests: new comments then need conflicts in two files, a duplicate or raised risk.',
  ),
})
export type BudgetState = z.output<typeof CommentBudget>

const SignalPeriod = object('SignalPeriod', {
  days: z.int().meta({ description: 'The length of the period, which ends now.', examples: [7] }),
  pairs: object(
    'PairCounts',
    {
      shown: count('The pairs that were shown; in shadow mode, those that would have been shown.'),
      resolved: count('A push of either side ended the overlap before a merge.'),
      merged_anyway: count('One side was merged while they overlapped.'),
      given_up: count('One side was closed unmerged.'),
      open: count('None of these yet.'),
      by_consequence: ConsequenceCounts.describe('The shown pairs by what they lead to.'),
    },
    'The pairs of pull requests or branches that were first shown in the period, each once, by outcome. At most 100,000 are counted.',
  ),
  comments: object(
    'CommentCounts',
    { posted: count('The comments that were posted.'), edited: count('How often they were edited.') },
    'The comments that were posted in the period.',
  ),
  feedback: object(
    'Feedback',
    { up: count('Reactions 👍.'), down: count('Reactions 👎.') },
    'The reactions to these comments.',
  ),
})
export type SignalPeriod = z.output<typeof SignalPeriod>

const RecentSide = object('RecentSide', {
  pr_url: textOrNull('Its pull request; null if it has none.').meta({
    examples: ['https://github.com/acme/shop/pull/12'],
  }),
  branch: textOrNull('Its branch, if it has no pull request; otherwise null.'),
  author: textOrNull('Its author; null if unknown.'),
  shown_at: timestampOrNull(
    'When it was shown the pair, or in shadow mode would have been; null if it was not.',
  ),
})

const lines = z.tuple([z.int(), z.int()])

const RecentPair = object('RecentPair', {
  sides: z.tuple([RecentSide, RecentSide]).describe('The two pull requests or branches.'),
  consequence: ConsequenceOfPair.describe('What the pair leads to.'),
  confidence: comparedLines.confidence.describe('The confidence of the conflict; null if there is none.'),
  files: z
    .array(
      object('RecentFile', {
        path: sample('A file in which they conflict.', 'src/checkout/retry.ts'),
        line_ranges: z
          .tuple([lines.nullable(), lines.nullable()])
          .describe('The first and last line of each side, on its own base; null if unknown.'),
      }),
    )
    .describe('At most 20 files.'),
  outcome: z.enum(OUTCOMES).describe('The outcome of the pair.'),
  seen_at: outputTimestamp.describe('When it was found.'),
})
export type RecentPair = z.output<typeof RecentPair>

export const Signal = object('Signal', {
  mode: z.enum(['on', 'shadow', 'off']).describe('The setting `comment.mode`.'),
  budget: CommentBudget.describe('The comment budget.'),
  periods: z.array(SignalPeriod).describe('The last 7 days, and the last 30.'),
  recent: z
    .array(RecentPair)
    .describe('The last 20 pairs that were first shown in the last 30 days, the newest first.'),
})
export type Signal = z.output<typeof Signal>

export const ExplainPullRequest = z.strictObject({
  pull_request: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'must be the number of a pull request' })
    .transform(Number)
    .describe('The number of an open pull request.')
    .meta({ override: { type: 'integer', minimum: 1, maximum: 999_999_999 }, examples: [12] }),
})

export const Why = object('Why', {
  is_commented: boolean('Whether the App has a comment on the pull request.'),
  pairs: z
    .array(
      object('ExplainedPair', {
        activity_id: z
          .string()
          .nullable()
          .meta({
            description: 'The activity of the other side; null if it is merged.',
            examples: ['act_01h455vb4pex5vsknk084sn02q'],
          }),
        title: textOrNull(
          'Its title; null for the pull request of a newcomer, and if only its number is known.',
        ),
        actor: textOrNull('Its author.'),
        pr_url: textOrNull('Its pull request.'),
        consequence: ConsequenceOfPair.nullable().describe(
          'What the pair leads to; null if it was not compared, because it is for another base branch.',
        ),
        severity: Severity.nullable().describe('The severity of the pair.'),
        is_shown: boolean('Whether a comment on this pull request shows it.'),
        reason: z
          .enum(Object.keys(HIDDEN_BECAUSE) as [HiddenBecause, ...HiddenBecause[]])
          .nullable()
          .meta({ examples: ['other_side'] })
          .describe('Why it is not shown; null if it is.'),
        decided_by: textOrNull('The setting or number that decided it, such as `comment.audience: later`.'),
      }),
    )
    .describe(
      'The overlaps of the pull request, in the order of a comment, and work for other base branches.',
    ),
})
export type Why = z.output<typeof Why>
