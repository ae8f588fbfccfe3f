/** What the engine knows of a kind of finding. A new kind is a file beside this one, its line in `kinds.ts`, and its words. */
import type { Consequence, FindingKind, FindingOf } from '../../vocabulary/finding.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import type { Weight } from '../../vocabulary/weight.ts'
import type { PairVerdict } from '../lines/pair-verdict.ts'
import type { NumberRules } from '../lines/taken.ts'
import type { DigestedSide } from './side.ts'

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

export interface Kind<Name extends FindingKind> {
  /** Null: what two pieces of work lead to does not depend on it. */
  leadsTo(finding: FindingOf<Name>): Consequence | null
  /** `weight`: that of the other side. Null if it is nothing that anybody has to act on. */
  severityOf(finding: FindingOf<Name>, weight: Weight): Severity | null
  /** What two sides have in common of this kind. Missing where it does not come from their changed files. */
  find?(sides: ComparedSides): FindingOf<Name>[]
}
