/** Of each kind of finding: how it is found, and how severe it is (docs/contract/overlap.md#consequences). Its words are in `vocabulary/finding-kinds.ts`. */
import { byConsequence } from '../../vocabulary/finding.ts'
import type { Finding, FindingKind, FindingOf } from '../../vocabulary/finding-kinds.ts'
import { higher, overlapSeverity, type Severity, type Weight } from '../../vocabulary/severity.ts'
import { sharedCount } from '../lines/added-lines.ts'
import type { PairVerdict } from '../lines/pair-verdict.ts'
import { type NumberRules, sharedTaken } from '../lines/taken.ts'
import type { DigestedSide, Intent } from './side.ts'

/** Two sides whose changed files were compared. */
export interface ComparedSides {
  yours: DigestedSide
  theirs: DigestedSide
  /** The verdict over all files that both change. */
  pair: Omit<PairVerdict, 'whole'>
  /** All changes of one side are also made by the other. */
  is_contained: boolean
  numbers: NumberRules
}

interface Kind<Name extends FindingKind> {
  /** `weight`: that of the other side. Null if it is nothing that anybody has to act on. */
  severityOf(finding: FindingOf<Name>, weight: Weight): Severity | null
  /** What two sides have in common of this kind. Missing where it does not come from their changed files. */
  find?(sides: ComparedSides): FindingOf<Name>[]
}

const KINDS: { [Name in FindingKind]: Kind<Name> } = {
  duplicate: { severityOf: () => 'high', find: findDuplicate },
  issue: { severityOf: () => 'high', find: ({ yours, theirs }) => sharedIssue(yours, theirs) },
  done: { severityOf: () => 'high' },
  number: { severityOf: () => 'high', find: (sides) => findTaken('number', sides) },
  parent: { severityOf: () => 'high', find: (sides) => findTaken('parent', sides) },
  lines: { severityOf: severityOfLines, find: findLines },
  paths: { severityOf: (_, weight) => overlapSeverity('path', weight) },
  areas: { severityOf: (_, weight) => overlapSeverity('area', weight) },
  notable: { severityOf: (_, weight) => overlapSeverity('notable', weight) },
}

/** What the changed files of two sides have in common, the weightiest first. */
export function findingsOf(sides: ComparedSides): Finding[] {
  const found: Finding[] = Object.values(KINDS).flatMap((kind): Finding[] => kind.find?.(sides) ?? [])
  return found.sort(byConsequence)
}

/** The highest severity; null if nobody has to do anything. `weight`: that of the other side. */
export function severityOf(findings: readonly Finding[], weight: Weight): Severity | null {
  return findings
    .map((each) => (KINDS[each.kind] as unknown as Kind<FindingKind>).severityOf(each, weight))
    .reduce<Severity | null>((highest, each) => higher(highest, each), null)
}

/** Of the lines that the smaller side adds, the share that the other side must add too. */
const SHARE_MIN = 0.5
const ADDED_LINES_MIN = 5

/** By the lines that both add (docs/contract/lines.md#duplicates). */
function findDuplicate({ yours, theirs, is_contained }: ComparedSides): FindingOf<'duplicate'>[] {
  const added_lines = Math.min(yours.fingerprint.length, theirs.fingerprint.length)
  const share = added_lines === 0 ? 0 : sharedCount(yours.fingerprint, theirs.fingerprint) / added_lines
  if (is_contained) return [{ kind: 'duplicate', share: 1, added_lines }]
  return added_lines >= ADDED_LINES_MIN && share >= SHARE_MIN
    ? [{ kind: 'duplicate', share, added_lines }]
    : []
}

/** The first issue that both close; sides without changed files can share one, too. */
export function sharedIssue(
  yours: Pick<Intent, 'closes'>,
  theirs: Pick<Intent, 'closes'>,
): FindingOf<'issue'>[] {
  const shared = [...yours.closes].find((each) => theirs.closes.has(each))
  return shared === undefined ? [] : [{ kind: 'issue', issue: shared }]
}

/** Numbers, or parents of migrations, that new files of both take (docs/contract/numbers.md). */
function findTaken<Name extends 'number' | 'parent'>(
  kind: Name,
  { yours, theirs, numbers: rules }: ComparedSides,
): FindingOf<Name>[] {
  return sharedTaken(kind, { yours: yours.taking, theirs: theirs.taking, rules })
}

/** The strongest verdict among the files that both change (docs/contract/lines.md#verdicts). */
function findLines({ pair: { strongest, files, lacks_patch } }: ComparedSides): FindingOf<'lines'>[] {
  if (strongest === null) return []
  const { verdict, confidence, your_lines, their_lines } = strongest
  // If more files are shared than were compared, the strongest verdict is about one that was not.
  const path = (files.find((each) => each.verdict === verdict) ?? files[0])?.path ?? ''
  return [{ kind: 'lines', path, verdict, confidence, your_lines, their_lines, lacks_patch }]
}

function severityOfLines(
  { verdict, confidence, lacks_patch }: FindingOf<'lines'>,
  weight: Weight,
): Severity | null {
  if (verdict === 'conflict') return confidence === 'proved' ? 'high' : overlapSeverity('path', weight)
  // An intention, of which nobody can say which lines it will change, weighs more than a patch that GitHub left out.
  if (verdict === 'unknown') return overlapSeverity(lacks_patch ? 'path' : 'area', weight)
  return null
}
