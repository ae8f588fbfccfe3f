/**
 * Every kind of finding: its fields, what it leads to, and its words (docs/contract/overlap.md#findings). A new kind is a row in
 * the two tables here, and its rules in engine/kinds/kinds.ts. Pure.
 */
import type { z as Zod } from 'zod'
import type { Quote } from './text.ts'
import { VERDICTS } from './verdict.ts'

/** What a pair leads to, the weightiest first. `same_file` is no overlap: nobody has to do anything. */
export const CONSEQUENCES = ['conflict', 'same_work', 'same_number', 'possible', 'same_file'] as const
export type Consequence = (typeof CONSEQUENCES)[number]

type Builders = Pick<typeof Zod, 'array' | 'boolean' | 'enum' | 'int' | 'number' | 'string' | 'tuple'>

export function lineRangeOf(z: Pick<Builders, 'int' | 'tuple'>) {
  return z
    .tuple([z.int(), z.int()])
    .meta({ examples: [[12, 14]] })
    .nullable()
}

/** The fields of each kind, besides `kind`. `z` is given, because this file must not load zod: agents wait for the hook, which reads it. */
export function findingFields(z: Builders) {
  const path = z
    .string()
    .meta({ description: 'A path that both match.', examples: ['src/checkout/retry.ts'] })
  const shares = {
    share: z.number().describe('The share of the added lines that the other has too, from 0 to 1.'),
    added_lines: z.int().describe('The number of distinct lines that are added, without short lines.'),
  }
  const taken = {
    directory: z.string().meta({ description: 'The directory of both files.', examples: ['db/migrations'] }),
    yours: z.string().meta({ description: 'The name of your file.', examples: ['0042_coupons.sql'] }),
    theirs: z.string().meta({ description: 'The name of their file.', examples: ['0042_refunds.sql'] }),
  }
  return {
    duplicate: shares,
    issue: { issue: z.int().describe('The number of an issue that both are on or close.') },
    done: {
      url: z.string().nullable().describe('The merged pull request; null for a commit of a clone.'),
      ...shares,
    },
    number: {
      number: z.string().meta({ description: 'The number that both take.', examples: ['0042'] }),
      ...taken,
      next: z
        .string()
        .nullable()
        .describe('The next free number, as text of the same width; null if it is not known.'),
    },
    parent: {
      parent: z.string().meta({ description: 'The migration that both build on.', examples: ['0041_carts'] }),
      ...taken,
    },
    lines: {
      path,
      verdict: z.enum(VERDICTS).meta({
        id: 'LinesRelation',
        examples: ['conflict'],
        description:
          '`conflict`: git would report a merge conflict. `unknown`: there is no patch to compare. `agrees`: both make the same change. `touching`: 1 to 3 unchanged lines lie between the changes; `near`: 4 to 30; `far`: more. `noise`: conflicts in this file are mechanical.',
      }),
      confidence: z
        .enum(['proved', 'likely'])
        .meta({ examples: ['proved'] })
        .nullable()
        .describe(
          'Set for a conflict: `likely` if the base branch changed lines there too, or if the same lines occur elsewhere; otherwise `proved`.',
        ),
      your_lines: lineRangeOf(z).describe(
        'The first and last line, in the base of your patch; null if unknown.',
      ),
      their_lines: lineRangeOf(z).describe(
        'The first and last line, in the base of their patch; null if unknown.',
      ),
      lacks_patch: z.boolean().describe('For `unknown`: declared work sent no patch of the file.'),
    },
    paths: {
      path,
      yours: z.string().meta({ description: 'Your path or glob.', examples: ['src/checkout/**'] }),
      theirs: z.string().meta({ description: 'Their path or glob.', examples: ['src/**/retry.ts'] }),
    },
    areas: { areas: z.array(z.string()).describe('Labels that both name.') },
    notable: {
      path: path.nullable().describe('A path that both match; null if they share none.'),
      url: z.string().nullable().describe('Its decision document.'),
    },
  }
}

type Fields = ReturnType<typeof findingFields>
export type FindingKind = keyof Fields
export type Finding = {
  [Name in FindingKind]: { kind: Name } & { [Field in keyof Fields[Name]]: Zod.output<Fields[Name][Field]> }
}[FindingKind]
export type FindingOf<Kind extends FindingKind> = Extract<Finding, { kind: Kind }>
export type TakenFinding = FindingOf<'number' | 'parent'>

/** What is said about a finding, besides the shared paths and areas. `who`: the other side, as the subject. */
export interface FindingWords<Found> {
  /** What both take: `0042 in db/migrations`. */
  place(finding: Found, quote: Quote): string
  /** Added to the place: `; the next free number is 0043`. */
  hint?(finding: Found, quote: Quote): string
  /** Without its full stop. */
  sentence(finding: Found, who: string, quote: Quote): string
  /** For a reader who already sees the place. */
  short: string
  /** For a list of pairs, in which nobody is “you”. */
  label: string
  /** Missing if the severity says what to do. */
  advice?: FindingAdvice
}

/** What to do. `person`: of the other side, quoted. */
export interface FindingAdvice {
  /** To a reader who cannot agree with the other side, such as a bot. */
  giveWay: string
  /** Before an edit. `ask`: `talk to ada`. */
  agree(ask: string): string
  /** To the author of both sides, by whether the own side is closer to its merge. */
  own: Record<'ahead' | 'behind', string>
  tell(person: string): string
  follow: string
}

interface Row<Found> {
  /** Null: what two pieces of work lead to does not depend on it. */
  leadsTo(finding: Found): Consequence | null
  /** Of two sides that do the same work: how that is known. Missing for other kinds. */
  evidence?(finding: Found, quote: Quote): string
  /** Missing where the shared paths and areas, or the other side itself, say it. */
  words?: FindingWords<Found>
  /** The finding without what other people wrote; null if nothing is left. Missing where it has none. `isOwn`: the reader has the path. */
  withoutNames?(finding: Found, isOwn: (path: string) => boolean): Found | null
}

/** In the order in which findings of one consequence are listed. */
export const KINDS: { [Kind in FindingKind]: Row<FindingOf<Kind>> } = {
  duplicate: {
    leadsTo: () => 'same_work',
    evidence: ({ share, added_lines }) =>
      added_lines > 0 ? `${Math.round(share * added_lines)} of ${added_lines} added lines are alike` : '',
  },
  issue: {
    leadsTo: () => 'same_work',
    evidence: ({ issue }, quote) => `both close ${quote(`#${issue}`)}`,
  },
  done: {
    leadsTo: () => 'same_work',
  },
  number: {
    leadsTo: () => 'same_number',
    words: {
      place: takenPlace,
      hint: numberHint,
      sentence: (finding, who, quote) =>
        `${takenPlace(finding, quote)} is taken by ${who}${numberNote(finding, quote)}`,
      short: 'the same number as yours',
      label: 'same number',
      advice: {
        giveWay: 'reserve another number for your file',
        agree: (ask) => `Reserve another number for your file, or ${ask}: agree on who keeps this one.`,
        own: { ahead: 'Give the other one another number.', behind: 'Take another number.' },
        tell: (person) => `Tell ${person} to take another number.`,
        follow: 'Take another number.',
      },
    },
    withoutNames: (finding) => ({ ...finding, theirs: 'their file' }),
  },
  parent: {
    leadsTo: () => 'same_number',
    words: {
      place: takenPlace,
      sentence: (finding, who, quote) =>
        `${who} builds on ${takenPlace(finding, quote)} too (yours: ${quote(finding.yours)}, theirs: ${quote(finding.theirs)})`,
      short: 'the same parent as yours',
      label: 'same parent',
      advice: {
        giveWay: 'build your migration on that one',
        agree: (ask) =>
          `Before you go on, ${ask}: agree on whose migration comes first. The second one builds on the first.`,
        own: {
          ahead: 'Build the second migration on the first.',
          behind: 'Build the second migration on the first.',
        },
        tell: (person) => `Tell ${person} to build on the migration of this pull request.`,
        follow: 'Build on the other migration once it is merged.',
      },
    },
    withoutNames: (finding) => ({ ...finding, theirs: 'their file' }),
  },
  lines: {
    leadsTo({ verdict }) {
      if (verdict === 'noise') return null
      if (verdict === 'conflict') return 'conflict'
      return verdict === 'unknown' ? 'possible' : 'same_file'
    },
    withoutNames: (finding, isOwn) => (isOwn(finding.path) ? finding : null),
  },
  paths: {
    leadsTo: () => 'possible',
    withoutNames: (finding, isOwn) =>
      isOwn(finding.path) ? { ...finding, yours: finding.path, theirs: finding.path } : null,
  },
  areas: {
    leadsTo: () => 'possible',
  },
  notable: {
    leadsTo: () => null,
    withoutNames: (finding) => ({ ...finding, path: null, url: null }),
  },
}

/** The number, or the name of the parent. */
export function takenValue(taken: TakenFinding): string {
  return taken.kind === 'number' ? taken.number : taken.parent
}

/** `0042 in db/migrations`. */
function takenPlace(taken: TakenFinding, quote: Quote): string {
  const name = quote(takenValue(taken))
  return taken.directory === '' ? name : `${name} in ${quote(taken.directory)}`
}

function numberHint({ next }: FindingOf<'number'>, quote: Quote): string {
  return next === null ? '' : `; the next free number is ${quote(next)}`
}

/** ` (0042_carts.sql); the next free number is 0043`. */
export function numberNote(finding: FindingOf<'number'>, quote: Quote): string {
  return ` (${quote(finding.theirs)})${numberHint(finding, quote)}`
}
