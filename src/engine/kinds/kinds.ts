/** All kinds of findings, and what a list of findings leads to (docs/contract/overlap.md#consequences). */
import { CONSEQUENCES, type Consequence, type Finding, type FindingKind } from '../../vocabulary/finding.ts'
import { higher, type Severity } from '../../vocabulary/severity.ts'
import type { Weight } from '../../vocabulary/weight.ts'
import { areas, paths } from './declared.ts'
import { done } from './done.ts'
import { duplicate } from './duplicate.ts'
import { issue } from './issue.ts'
import type { ComparedSides, Kind } from './kind.ts'
import { lines } from './lines.ts'
import { notable } from './notable.ts'
import { number } from './number.ts'
import { parent } from './parent.ts'

/** Of those with one consequence, the first says most. */
const KINDS: { [Name in FindingKind]: Kind<Name> } = {
  duplicate,
  issue,
  done,
  number,
  parent,
  lines,
  paths,
  areas,
  notable,
}
const ORDER = Object.keys(KINDS)

/** The rules of a finding's kind. TypeScript does not relate the two. */
function kindOf(finding: Finding): Kind<FindingKind> {
  return KINDS[finding.kind] as unknown as Kind<FindingKind>
}

/** What the changed files of two sides have in common, the weightiest first. */
export function findingsOf(sides: ComparedSides): Finding[] {
  const found: Finding[] = Object.values(KINDS).flatMap((kind): Finding[] => kind.find?.(sides) ?? [])
  return found.sort(byConsequence)
}

/** What a pair with these findings leads to; null if that is nothing: they share only noise, or it is a notable. */
export function consequenceOf(findings: readonly Finding[]): Consequence | null {
  const all = findings.map((each) => kindOf(each).leadsTo(each))
  return CONSEQUENCES.find((each) => all.includes(each)) ?? null
}

/** The highest severity; null if nobody has to do anything. `weight`: that of the other side. */
export function severityOf(findings: readonly Finding[], weight: Weight): Severity | null {
  return findings
    .map((each) => kindOf(each).severityOf(each, weight))
    .reduce<Severity | null>((highest, each) => higher(highest, each), null)
}

/** The weightiest first. */
export function byConsequence(a: Finding, b: Finding): number {
  return rank(a) - rank(b) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)
}

function rank(finding: Finding): number {
  const consequence = kindOf(finding).leadsTo(finding)
  return consequence === null ? CONSEQUENCES.length : CONSEQUENCES.indexOf(consequence)
}
