/** Schemas of the list of all collisions of a repository, and of the order in which to merge. */
import { z } from 'zod'
import { boolean, integer, object, outputTimestamp, sample, textOrNull, texts } from './field.ts'
import { lineRange, relation } from './finding.ts'
import { Match, PathPair, Severity } from './overlap.ts'

/** The maximum number of live activities that are compared with each other, which is the number that the page shows. */
export const COMPARED_MAX = 1000
/** The maximum number of collisions in the list. */
export const OVERLAPS_MAX = 1000
export const SHARED_PATHS_MAX = 3
/** The maximum number of pairs that only change the same file, with their lines apart. */
export const SAME_FILE_PAIRS_MAX = 100

const SharedPath = object('SharedPath', {
  globs: texts('The glob of each activity, in the order of `activity_ids`.').meta({
    examples: [['src/checkout/**', 'src/**/retry.ts']],
  }),
  example: sample('A path that both match.', 'src/checkout/retry.ts'),
  verdict: PathPair.shape.verdict,
  confidence: PathPair.shape.confidence,
  line_ranges: z
    .tuple([lineRange, lineRange])
    .nullable()
    .describe(
      'The first and last line of each, on its own base, in the order of `activity_ids`; null if unknown.',
    ),
})
export type SharedPath = z.output<typeof SharedPath>

const Overlap = object('Overlap', {
  activity_ids: texts('The two activities that collide, the older one first.').meta({
    examples: [['act_01h455vb4pex5vsknk084sn02q', 'act_01h455vb4pex5vsknk084sn02s']],
  }),
  severity: Severity.describe('The higher of the severities that checks of the two activities report.'),
  areas: texts('Labels that both name.'),
  paths: z
    .array(SharedPath)
    .describe(
      `Files that both change, with the strongest verdict first, then pairs of globs that share a path; at most ${SHARED_PATHS_MAX}.`,
    ),
  consequence: relation.consequence.unwrap().describe('What the pair leads to.'),
  findings: relation.findings.describe(
    'What both have in common, the weightiest first. Yours are those of the first of `activity_ids`.',
  ),
  same_author: Match.shape.same_author,
  cut: Match.shape.cut,
})
export type Overlap = z.output<typeof Overlap>

export const Overlaps = object('Overlaps', {
  items: z
    .array(Overlap)
    .describe(
      `Each pair of activities once, the most severe first, then those of the newest activities; at most ${OVERLAPS_MAX}.`,
    ),
  total: integer('The number of collisions that were found, including those that are not listed.'),
  same_file: object(
    'SameFilePairs',
    {
      total: integer('The number of these pairs.'),
      pairs: z
        .array(texts('The two activities, the older one first.'))
        .describe(`Those of the newest activities first; at most ${SAME_FILE_PAIRS_MAX}.`)
        .meta({ examples: [[]] }),
    },
    'Pairs that change the same file, with their lines apart. They are no collisions.',
  ),
  checked_against: object(
    'OverlapsCheckedAgainst',
    {
      activities: integer(
        `The number of live activities that were compared with each other: at most the newest ${COMPARED_MAX}.`,
      ),
      as_of: outputTimestamp.describe('When they were read.'),
      complete: boolean(
        `False if something was left out: there are more than ${COMPARED_MAX} live activities or ${OVERLAPS_MAX} collisions, or the work budget was exhausted.`,
      ).meta({ examples: [true] }),
      reason: textOrNull('What was left out and why, in words for people; null if nothing was left out.'),
    },
    'What was compared.',
  ),
})
export type Overlaps = z.output<typeof Overlaps>

export const MergeOrder = object('MergeOrder', {
  items: z
    .array(
      object('MergeOrderItem', {
        activity_id: sample('The activity of the pull request.', 'act_01h455vb4pex5vsknk084sn02q'),
        pr_url: sample('The pull request.', 'https://github.com/acme/shop/pull/12'),
        conflicts_with: texts(
          'The items whose changed lines conflict with its own, or that take the same number or parent, in this order.',
        ).meta({ examples: [['act_01h455vb4pex5vsknk084sn02s']] }),
        position: integer('When to merge it: 1 is first.'),
        reason: z
          .string()
          .describe('Why it has this place, in words for people.')
          .meta({ examples: ['2 conflicts: #12 and #14; 60 changed lines; built on #9'] }),
      }),
    )
    .describe(
      'The open pull requests that conflict with others by their lines. Those with the fewest conflicts come first, of equals the one that changes more lines, then more files. A stacked pull request comes after those that it is built on.',
    ),
  clear: texts('The activities of the open pull requests that conflict with no other one, the newest first.'),
  complete: z
    .literal(false)
    .optional()
    .describe(
      'Only present if pull requests may have conflicts that are not listed: not all were compared, or not all lines that they change are known.',
    ),
  reason: z
    .string()
    .optional()
    .describe('Only present with `complete`: what was left out and why, in words for people.'),
})
export type MergeOrder = z.output<typeof MergeOrder>
