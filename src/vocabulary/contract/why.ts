/** The schema of `GET …/why`: what a comment shows of each pair of a pull request, and why not. */
import { z } from 'zod'
import { HIDDEN_BECAUSE, type HiddenBecause } from '../shown.ts'
import { boolean, object, textOrNull } from './field.ts'
import { ConsequenceOfPair } from './finding.ts'
import { Severity } from './overlap.ts'

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
