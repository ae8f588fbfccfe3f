/** Schemas of issues: the number that an activity sends, and who works on an issue. */
import { z } from 'zod'
import { Failure } from '../failure.ts'
import { NUMBER_MAX, readNumber } from '../names.ts'
import { boolean, object, outputTimestamp, sample, textOrNull } from './field.ts'

/** The maximum number of activities in `others`. */
export const ISSUE_OTHERS_MAX = 100

/** `digits`: the number as it was sent. Throws `not_found` for any other text. */
export function readIssueNumber(digits: string): number {
  const number = readNumber(digits)
  if (number !== null) return number
  throw new Failure('not_found', `an issue is named by its number, from 1 to ${NUMBER_MAX}`)
}

/** Sent with an activity. */
export const issueNumber = z
  .int()
  .min(1)
  .max(NUMBER_MAX)
  .meta({ description: 'The number of the issue of this repository that the work is about.', examples: [7] })

const number = z.int().meta({ description: 'The number of the issue.', examples: [7] })

const IssueWorker = object('IssueWorker', {
  activity_id: sample('The id of the activity.', 'act_01h455vb4pex5vsknk084sn02q'),
  actor: sample('The person who is responsible for the work.', 'Ada Lovelace'),
  agent: textOrNull('The coding agent in use; null for manual work.'),
  branch: textOrNull('The branch of the work.'),
  pr_url: textOrNull('The URL of the pull request; null if there is none.'),
  since: outputTimestamp.describe('Since when the activity is on the issue.'),
})
export type IssueWorker = z.output<typeof IssueWorker>

const holder = IssueWorker.nullable().describe(
  'The live activity that came first to the issue; null if nobody works on it.',
)

const doneBy = object('DoneBy', {
  pr_url: sample('The URL of the pull request.', 'https://github.com/acme/shop/pull/12'),
  merged_at: outputTimestamp.describe('When it was merged.'),
})
  .nullable()
  .describe('The last pull request that closes the issue and was merged within 30 days; null if none was.')

export const IssueClaim = object('IssueClaim', {
  number,
  claimed: boolean('Whether this activity holds the issue. True for one live activity at most.'),
  holder,
  done_by: doneBy,
})
export type IssueClaim = z.output<typeof IssueClaim>

export const Issue = object('Issue', {
  number,
  holder,
  others: z
    .array(IssueWorker)
    .describe('The other live activities on the issue, in the order in which they came; at most 100.'),
  done_by: doneBy,
})
export type Issue = z.output<typeof Issue>
