/** Schemas of findings: what two pieces of work have in common, and what that leads to (docs/contract/overlap.md#findings). */
import { z } from 'zod'
import { CONSEQUENCES, type FindingKind } from '../finding.ts'
import { VERDICTS } from '../verdict.ts'
import { boolean, integer, object, textOrNull, texts } from './field.ts'

export const ConsequenceOfPair = z.enum(CONSEQUENCES).meta({
  id: 'Consequence',
  examples: ['conflict'],
  description:
    '`same_work`: both seem to do the same, or it is merged already. `same_number`: both take the same number or parent. `conflict`: git will stop. `possible`: declared paths or areas meet, and the lines of one side are not known. `same_file`: both change a file, their lines are apart, and nobody has to do anything.',
})

/** The strongest first. */
export const LinesRelation = z.enum(VERDICTS).meta({
  id: 'LinesRelation',
  examples: ['conflict'],
  description:
    '`conflict`: git would report a merge conflict. `unknown`: there is no patch to compare. `agrees`: both make the same change. `touching`: 1 to 3 unchanged lines lie between the changes; `near`: 4 to 30; `far`: more. `noise`: conflicts in this file are mechanical.',
})

export const lineRange = z
  .tuple([z.int(), z.int()])
  .meta({ examples: [[12, 14]] })
  .nullable()

/** How the changed lines of a file relate. `whose`: the sides in the order of the result. */
export const comparedLines = {
  confidence: z
    .enum(['proved', 'likely'])
    .meta({ examples: ['proved'] })
    .nullable()
    .describe(
      'Set for a conflict: `likely` if the base branch changed lines there too, or if the same lines occur elsewhere; otherwise `proved`.',
    ),
  your_lines: lineRange.describe('The first and last line, in the base of your patch; null if unknown.'),
  their_lines: lineRange.describe('The first and last line, in the base of their patch; null if unknown.'),
}

const kind = <Name extends FindingKind>(name: Name) =>
  z.literal(name).meta({ description: 'The kind of the finding.', examples: [name] })
const path = z.string().meta({ description: 'A path that both match.', examples: ['src/checkout/retry.ts'] })
const taken = {
  directory: z.string().meta({ description: 'The directory of both files.', examples: ['db/migrations'] }),
  yours: z.string().meta({ description: 'The name of your file.', examples: ['0042_coupons.sql'] }),
  theirs: z.string().meta({ description: 'The name of their file.', examples: ['0042_refunds.sql'] }),
}
const shares = {
  share: z.number().describe('The share of the added lines that the other has too, from 0 to 1.'),
  added_lines: integer('The number of distinct lines that are added, without short lines.'),
}

export const Finding = z
  .discriminatedUnion('kind', [
    object('LinesFinding', {
      kind: kind('lines'),
      path,
      verdict: LinesRelation,
      ...comparedLines,
      lacks_patch: boolean('For `unknown`: declared work sent no patch of the file.'),
    }),
    object('PathsFinding', {
      kind: kind('paths'),
      path,
      yours: z.string().meta({ description: 'Your path or glob.', examples: ['src/checkout/**'] }),
      theirs: z.string().meta({ description: 'Their path or glob.', examples: ['src/**/retry.ts'] }),
    }),
    object('AreasFinding', { kind: kind('areas'), areas: texts('Labels that both name.') }),
    object('DuplicateFinding', { kind: kind('duplicate'), ...shares }),
    object('IssueFinding', {
      kind: kind('issue'),
      issue: z.int().describe('The number of an issue that both are on or close.'),
    }),
    object('NumberFinding', {
      kind: kind('number'),
      number: z.string().meta({ description: 'The number that both take.', examples: ['0042'] }),
      ...taken,
      next: textOrNull('The next free number, as text of the same width; null if it is not known.'),
    }),
    object('ParentFinding', {
      kind: kind('parent'),
      parent: z.string().meta({ description: 'The migration that both build on.', examples: ['0041_carts'] }),
      ...taken,
    }),
    object('DoneFinding', {
      kind: kind('done'),
      url: textOrNull('The merged pull request; null for a commit of a clone.'),
      ...shares,
    }),
    object('NotableFinding', {
      kind: kind('notable'),
      path: path.nullable().describe('A path that both match; null if they share none.'),
      url: textOrNull('Its decision document.'),
    }),
  ])
  .meta({
    id: 'Finding',
    examples: [
      {
        kind: 'lines',
        path: 'src/checkout/retry.ts',
        verdict: 'conflict',
        confidence: 'proved',
        your_lines: [12, 14],
        their_lines: [12, 14],
        lacks_patch: false,
      },
    ],
  })

/** What a result says about a pair. */
export const relation = {
  consequence: ConsequenceOfPair.nullable().describe('What the pair leads to; null for a notable.'),
  findings: z
    .array(Finding)
    .describe('What both have in common, the weightiest first. Its lines and places are the strongest ones.'),
}
