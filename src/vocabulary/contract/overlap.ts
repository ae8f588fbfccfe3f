/** Schemas of the input and the results of an overlap check. */
import { z } from 'zod'
import { SEVERITIES } from '../severity.ts'
import {
  baseBranchName,
  boolean,
  branchName,
  integer,
  object,
  outputTimestamp,
  sample,
  text,
  textOrNull,
  texts,
} from './field.ts'
import { comparedLines, LinesRelation, relation } from './finding.ts'
import { ActivityScope, baseSha, labels } from './scope.ts'

export const Severity = z.enum(SEVERITIES).meta({ examples: ['high'] })

export const Relationship = z.enum(['own', 'stacked', 'other_base', 'collision'])
export type Relationship = z.output<typeof Relationship>

/** Own and stacked activities by id: they are not collisions, even if they touch the same files. */
export type Expected = Map<string, Extract<Relationship, 'own' | 'stacked'>>

/** The maximum number of ids in each list of a result. */
export const IDS_MAX = 200
/** The maximum number of path pairs in each match. */
export const PAIRS_MAX = 20
export const REUSE_MAX = 10
/** The maximum number of ids of activities that only change a file of the work. */
export const SAME_FILE_MAX = 20
/** The maximum number of paths in each list of a drift. */
export const DRIFT_MAX = 20
/** The maximum number of named matches in a short result. */
export const NAMED_MAX = 5

export const CheckOverlap = object('CheckOverlap', {
  scope: ActivityScope.optional().describe(
    'What the caller intends to change. If omitted or empty, the scopes of the live activities of `branch`.',
  ),
  base_sha: baseSha.default(null),
  branch: branchName.nullable().default(null).describe('The branch of the planned work.'),
  base_branch: baseBranchName
    .nullable()
    .default(null)
    .meta({ description: 'The branch that the work will be merged into.', examples: ['main'] }),
  activity_id: text(1, 100).nullable().default(null).describe('Your activity, left out.'),
  tags: labels.default([]).describe('Extra labels, compared with areas, to widen the match.'),
})
export type CheckOverlap = z.output<typeof CheckOverlap>

export const PathPair = object('PathPair', {
  yours: sample('Your glob.', 'src/checkout/**'),
  theirs: sample('Their glob.', 'src/**/retry.ts'),
  example: sample('A path that both match.', 'src/checkout/retry.ts'),
  verdict: LinesRelation.nullable().describe('How the changed lines of a file relate; null for globs.'),
  ...comparedLines,
})
export type PathPair = z.output<typeof PathPair>

/** What a result says about each activity or notable that overlaps. */
const matched = {
  id: sample(
    'The id of the activity or notable; for a merged pull request its number, such as `#40`.',
    'act_01h455vb4pex5vsknk084sn02q',
  ),
  title: sample('Its title; of a newcomer’s pull request its number.', 'Retry declined payments'),
  actor: textOrNull('The actor of the activity, or the GitHub login of the creator of the notable.'),
  branch: textOrNull('The branch of the activity.'),
  pr_url: textOrNull('Its pull request.'),
  worktree: textOrNull('The working tree of the activity, in one clone; null on a service.').meta({
    examples: [null],
  }),
  severity: Severity.describe('The severity of this match.'),
  ...relation,
  same_author: boolean('Whether both are by the same author, on different branches.'),
  is_bot: boolean('Whether it is by a bot that is no coding agent.'),
}

export const Match = object('Match', {
  ...matched,
  areas: texts('Labels that both name.'),
  paths: z
    .array(PathPair)
    .describe(
      `Files that both change, with the strongest verdict first, then pairs of globs that share a path; at most ${PAIRS_MAX}.`,
    ),
  cut: boolean(
    'Whether both change more than 300 of the same files. The first 300 by path were compared by lines.',
  ),
})
export type Match = z.output<typeof Match>

const ReuseOpportunity = object('ReuseOpportunity', {
  type: z
    .enum(['activity', 'notable', 'merged'])
    .meta({ examples: ['merged'] })
    .describe(
      '`activity`: it was merged recently, and its scope overlaps. `notable`: a pattern to follow. `merged`: a pull request that was merged within 30 days and has most of the lines that the work adds.',
    ),
  id: sample('The id of the record; for `merged` the number of the pull request, such as `#40`.', '#40'),
  title: sample('Its title.', 'Retry declined payments'),
  summary: sample('Its summary.', 'Retries a declined payment twice.'),
  url: textOrNull('The pull request, or the decision document.'),
  reason: sample(
    'Why the record is worth reading, for humans.',
    'It is merged, and has 90 % of the lines that this work adds.',
  ),
  share: z
    .number()
    .meta({ examples: [0.9] })
    .optional()
    .describe(
      'Only for `merged`: of the lines that the work adds, the share that the pull request has, from 0.8 to 1.',
    ),
})
export type ReuseOpportunity = z.output<typeof ReuseOpportunity>

const NamedMatch = object('NamedMatch', {
  ...matched,
  example: z
    .string()
    .nullable()
    .meta({
      description: 'A path that both match; null if they share only an area, or if the notable has no scope.',
      examples: ['src/checkout/retry.ts'],
    }),
})
export type NamedMatch = z.output<typeof NamedMatch>

/** The overlap in responses to a retrieval, an update and a heartbeat of an activity. */
export const OverlapBrief = object('OverlapBrief', {
  overlap_detected: boolean('True only for a collision or a matching notable.').meta({ examples: [true] }),
  severity: Severity.nullable().describe('The highest severity of all matches; null if nothing overlaps.'),
  related_activity_ids: texts(`The most severe first, then the newest; at most ${IDS_MAX}.`).meta({
    examples: [['act_01h455vb4pex5vsknk084sn02q']],
  }),
  matches: z
    .array(NamedMatch)
    .describe(
      `The most severe activities and notables by name; at most ${NAMED_MAX}. To get more details, retrieve the record.`,
    ),
})
export type OverlapBrief = z.output<typeof OverlapBrief>

export const Drift = object('Drift', {
  declared_only: texts(
    `Declared paths and files that the pull request does not change; at most ${DRIFT_MAX}.`,
  ),
  changed_only: texts(`Files that it changes and nobody declared; at most ${DRIFT_MAX}.`),
})
export type Drift = z.output<typeof Drift>

/** What a check in one clone has looked at, beside the declared work. */
const inClone = {
  worktrees: integer('In one clone: the number of its working trees.').optional(),
  sessions: integer('In one clone: the number of live sessions of agents.').optional(),
  branches: integer('In one clone: the number of branches with recent commits.').optional(),
  pull_requests: integer('In one clone: the number of fetched pull requests.').optional(),
}

export const OverlapResult = OverlapBrief.extend({
  reason: sample(
    'What overlaps and where, for humans; never empty. Text by other people stands in “…”.',
    'Overlap of high severity. Conflict (high) with “Retry declined payments” by “Ada Lovelace” on “payment-retries”: it changes lines 12–14 of “src/checkout/retry.ts” too.',
  ),
  related_notable_ids: texts(`The most severe first, then the newest; at most ${IDS_MAX}.`),
  expected_activity_ids: texts(`Own and stacked work, the newest first; at most ${IDS_MAX}.`),
  relationships: z
    .record(z.string(), Relationship)
    .meta({ examples: [{ act_01h455vb4pex5vsknk084sn02q: 'collision' }] })
    .describe(
      'How each activity relates to the work, by id. `other_base`: it overlaps, but is for another base branch, so it is in no list.',
    ),
  recommended_action: sample(
    'What to do; never empty. It contains only our words, ids, GitHub logins, pull request numbers, and in “…” the title of a notable.',
    'Before you edit there, talk to ada: agree on who changes what, or narrow your scope.',
  ),
  reuse_opportunities: z
    .array(ReuseOpportunity)
    .describe(
      `At most ${REUSE_MAX}: first the pull request of the type \`merged\`, if there is one, then the newest first.`,
    ),
  matches: z
    .array(Match)
    .describe(
      'One match for each related activity and notable that is listed, and one for a merged pull request that has done the work already.',
    ),
  same_file: object(
    'SameFile',
    {
      total: integer('The number of these activities.'),
      activity_ids: texts(`The newest first; at most ${SAME_FILE_MAX}.`).meta({ examples: [[]] }),
    },
    'Activities that change a file of the work, with their lines apart. They are no overlap.',
  ),
  truncated: boolean('Whether any list was cut to its maximum length.'),
  total_related: integer(
    'The number of related activities and notables, including those that are not listed.',
  ),
  checked_against: object(
    'CheckedAgainst',
    {
      activities: integer('The number of live activities that were compared.'),
      notables: integer('The number of active notables that were compared.'),
      as_of: outputTimestamp.describe('When they were read.'),
      complete: boolean(
        'False if there was nothing to compare, if the check exhausted its work budget before it had compared everything, if only the first changed files of a live activity are known, and those do not match, or while pull requests are imported.',
      ).meta({ examples: [true] }),
      ...inClone,
    },
    'What the check compared.',
  ),
  sources: z
    .array(z.string())
    .optional()
    .describe('What was not looked at, and how it would be; only in one clone, without a service.')
    .meta({ examples: [['pull requests: not fetched; deconflict fetch']] }),
}).meta({ id: 'OverlapResult' })
export type OverlapResult = z.output<typeof OverlapResult>

export interface LookedAt extends Record<keyof typeof inClone, number> {
  sources: string[]
  /** What could not be looked at, and may overlap. */
  unread: string[]
}
