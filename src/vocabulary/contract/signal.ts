/** The schemas of `GET …/signal`: how often the comments of a repository were right. */
import { z } from 'zod'
import { NOISE_CLASSES } from '../noise-names.ts'
import { OUTCOMES } from '../outcome.ts'
import {
  boolean,
  count,
  integer,
  numberOrNull,
  object,
  outputTimestamp,
  textOrNull,
  timestampOrNull,
  wholeNumber,
} from './field.ts'

export const CommentBudget = object('CommentBudget', {
  share: numberOrNull(
    'The share of the pull requests by people opened in the last 30 days that have a comment; null if there were none.',
  ),
  limit: z.number().describe('The setting `comment.budget`.'),
  in_force: boolean(
    'Whether the share is above the limit, of at least 20 pull requests: new comments then need conflicts in two files, a duplicate or raised risk.',
  ),
})
export type BudgetState = z.output<typeof CommentBudget>

const DAYS_MAX = 90

export const GetSignal = z.strictObject({
  days: wholeNumber({ min: 1, max: DAYS_MAX, preset: 30 }).describe(
    'The length of the period in days. It ends now.',
  ),
})
export type GetSignal = z.output<typeof GetSignal>

const pairFields = {
  shown: count('The pairs that were shown; in shadow mode, those that would have been shown.'),
  came_true: count(
    'One side was merged, and the other one then conflicted, edited the merged lines, or held the same number.',
  ),
  resolved: count('A push of either side ended the overlap before a merge.'),
  wrong: count('One side was merged, and the other one was then merged or pushed without a conflict.'),
  given_up: count('One side was closed unmerged.'),
  open: count('The outcome is not known yet.'),
}
export const PairCounts = object('PairCounts', pairFields)

const precision = numberOrNull(
  'The share that was right: (`came_true` + `resolved`) / (`came_true` + `resolved` + `wrong`). Null if the divisor is less than 10.',
)

export const Month = object('SignalMonth', {
  month: z.string().describe('A month, such as `2026-03`.'),
  ...pairFields,
  precision,
})

const RecentSide = object('RecentSide', {
  pr_url: textOrNull('Its pull request; null if it has none.'),
  branch: textOrNull('Its branch, if it has no pull request; otherwise null.'),
  author: textOrNull('Its author; null if unknown.'),
  shown_at: timestampOrNull(
    'When it was shown the pair, or in shadow mode would have been; null if it was not.',
  ),
})

const lines = z.tuple([z.int(), z.int()])

const PAIR_KINDS = ['proof', 'done', 'duplicate', 'sequence', 'conflict', 'declared'] as const
export type PairKind = (typeof PAIR_KINDS)[number]

const RecentPair = object('RecentPair', {
  sides: z.tuple([RecentSide, RecentSide]).describe('The two pull requests or branches.'),
  kind: z
    .enum(PAIR_KINDS)
    .describe(
      '`proof`: they fail together. `done`: one is merged and has most of the lines that the other one adds. `duplicate`: both seem to do the same work. `sequence`: both take the same number, or build on the same migration. `conflict`: their lines conflict. `declared`: they share paths that one of them declared.',
    ),
  verdict: z.literal('conflict').nullable().describe('Whether their lines conflict; null if no lines do.'),
  confidence: z
    .enum(['proved', 'likely'])
    .nullable()
    .describe('The confidence of the conflict; null if there is none.'),
  duplicate: boolean('Whether both seem to do the same work.'),
  files: z
    .array(
      object('RecentFile', {
        path: z.string().describe('A file in which they conflict.'),
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
  days: integer('The length of the period in days.'),
  mode: z.enum(['on', 'shadow', 'off']).describe('The setting `comment.mode`.'),
  budget: CommentBudget.describe('The comment budget.'),
  pull_requests: count('The pull requests by people that were opened in the period.'),
  commented: count('Those of them that got a comment; in shadow mode, that would have got one.'),
  pairs: PairCounts.describe(
    'The pairs of pull requests or branches that were first shown in the period, each once, by outcome. At most 100,000 are counted.',
  ),
  precision,
  done: object(
    'DoneCounts',
    {
      shown: count('The pull requests that were shown a merged one with most of their lines.'),
      given_up: count('Those of them that were closed unmerged.'),
      merged: count('Those of them that were merged after all.'),
    },
    'Work that was done already. These pairs are counted in `pairs`, too.',
  ),
  noise: z
    .partialRecord(z.enum(NOISE_CLASSES), z.int())
    .describe(
      'The pairs that share only files of a class of noise, by class, found in the period. They are not shown. A class without pairs is left out. The newest 100,000 are counted.',
    ),
  hot_files: z
    .array(
      object('HotFile', {
        path: z.string().describe('The file.'),
        pairs: count('The pairs that conflict in it.'),
        people: count('The authors of these pairs.'),
      }),
    )
    .describe(
      'The 20 files in which the most pairs conflict, shown or not, of the newest 5,000 found in the period.',
    ),
  recorded: count('All pairs that were found in the period, shown or not. At most 100,000 are counted.'),
  feedback: object(
    'Feedback',
    { up: count('Reactions 👍.'), down: count('Reactions 👎.') },
    'The reactions to the comments on `pull_requests`.',
  ),
  months: z
    .array(Month)
    .describe(
      'The pairs that were shown, by the month in which they were found: the last twelve months with pairs, the oldest first.',
    ),
  recent: z
    .array(RecentPair)
    .describe('The last 20 pairs that were first shown in the period, the newest first.'),
})
export type Signal = z.output<typeof Signal>
