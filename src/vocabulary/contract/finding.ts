/** Schemas of findings: what two pieces of work have in common, and what that leads to (docs/contract/overlap.md#findings). */
import { array, boolean, int, number, enum as oneOf, string, tuple, z } from 'zod'
import { CONSEQUENCES, type Finding, findingFields, lineRangeOf } from '../finding-kinds.ts'
import { capitalized } from '../text.ts'
import { count, object } from './field.ts'

export const ConsequenceOfPair = z.enum(CONSEQUENCES).meta({
  id: 'Consequence',
  examples: ['conflict'],
  description:
    '`same_work`: both seem to do the same, or it is merged already. `same_number`: both take the same number or parent. `conflict`: git will stop. `possible`: declared paths or areas meet, and the lines of one side are not known. `same_file`: both change a file, their lines are apart, and nobody has to do anything.',
})

const pairs = count('Pairs that lead to it.')
export const ConsequenceCounts = object('ConsequenceCounts', {
  conflict: pairs,
  same_work: pairs,
  same_number: pairs,
  possible: pairs,
})

// Not all of `z`: a bundle would contain its messages in fifty languages then.
const FIELDS = findingFields({ array, boolean, enum: oneOf, int, number, string, tuple })

/** The strongest first. */
export const LinesRelation = FIELDS.lines.verdict
export const lineRange = lineRangeOf({ int, tuple })

/** How the changed lines of a file relate. `whose`: the sides in the order of the result. */
const { confidence, your_lines, their_lines } = FIELDS.lines
export const comparedLines = { confidence, your_lines, their_lines }

const schemas = Object.entries(FIELDS).map(([name, fields]) => {
  const kind = z.literal(name).meta({ description: 'The kind of the finding.', examples: [name] })
  return object(`${capitalized(name)}Finding`, { kind, ...fields })
})
type Schemas = [(typeof schemas)[number], ...typeof schemas]

const FindingSchema = z.discriminatedUnion('kind', schemas as Schemas).meta({
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
}) as unknown as z.ZodType<Finding>

/** What a result says about a pair. */
export const relation = {
  consequence: ConsequenceOfPair.nullable().describe('What the pair leads to; null for a notable.'),
  findings: z
    .array(FindingSchema)
    .describe('What both have in common, the weightiest first. Its lines and places are the strongest ones.'),
}
