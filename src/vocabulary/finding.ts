/** What a list of findings amounts to (docs/contract/overlap.md#consequences). Pure. */
import { pathIn, renumbered } from './file-number.ts'
import {
  CONSEQUENCES,
  type Consequence,
  type Finding,
  type FindingKind,
  type FindingOf,
  type FindingWords,
  KINDS,
  type TakenFinding,
} from './finding-kinds.ts'
import type { Quote } from './text.ts'

const ORDER = Object.keys(KINDS)

/** The row of a finding's kind. TypeScript does not relate the two. */
function rowOf({ kind }: Finding) {
  return KINDS[kind] as unknown as {
    leadsTo(finding: Finding): Consequence | null
    evidence?(finding: Finding, quote: Quote): string
    words?: FindingWords<Finding>
    withoutNames?(finding: Finding, isOwn: (path: string) => boolean): Finding | null
  }
}

export function findingOf<Kind extends FindingKind>(
  findings: readonly Finding[],
  kind: Kind,
): FindingOf<Kind> | undefined {
  return findings.find((each): each is FindingOf<Kind> => each.kind === kind)
}

/** What a pair with these findings leads to; null if that is nothing: they share only noise, or it is a notable. */
export function consequenceOf(findings: readonly Finding[]): Consequence | null {
  return CONSEQUENCES.find((each) => leadTo(findings, each)) ?? null
}

/** Whether one of the findings leads to this, whatever others lead to. */
export function leadTo(findings: readonly Finding[], consequence: Consequence): boolean {
  return findings.some((each) => rowOf(each).leadsTo(each) === consequence)
}

/** The weightiest first. */
export function byConsequence(a: Finding, b: Finding): number {
  return rank(a) - rank(b) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)
}

function rank(finding: Finding): number {
  const consequence = rowOf(finding).leadsTo(finding)
  return consequence === null ? CONSEQUENCES.length : CONSEQUENCES.indexOf(consequence)
}

/** How it is known that both live sides do the same work: `9 of 12 added lines are alike`. Null if they do not seem to. */
export function evidenceOf(findings: readonly Finding[], quote: Quote): string[] | null {
  const evidence = findings.flatMap((each) => rowOf(each).evidence?.(each, quote) ?? [])
  return evidence.length === 0 ? null : evidence.filter(Boolean)
}

/** Whether two live sides seem to do the same work. */
export function isSameWork(findings: readonly Finding[]): boolean {
  return findings.some((each) => rowOf(each).evidence !== undefined)
}

/** Whether one of both has to give way, also where git stops anyway: they do the same work, or take the same. */
export function isForOneOfBoth(findings: readonly Finding[]): boolean {
  return isSameWork(findings) || leadTo(findings, 'same_number')
}

/** A finding that is said besides the shared paths and areas. */
export interface SaidFinding {
  finding: Finding
  words: FindingWords<Finding>
}

export function saidIn(findings: readonly Finding[]): SaidFinding[] {
  return findings.flatMap((finding) => {
    const { words } = rowOf(finding)
    return words ? [{ finding, words }] : []
  })
}

/** What both take: `0042 in db/migrations`; empty if the finding has no words of its own. */
export function placeOf(finding: Finding, quote: Quote): string {
  return rowOf(finding).words?.place(finding, quote) ?? ''
}

/** The findings without what other people wrote. `isOwn`: the reader has the path. */
export function withoutNames(findings: readonly Finding[], isOwn: (path: string) => boolean): Finding[] {
  return findings.flatMap((each) => {
    const { withoutNames: strip } = rowOf(each)
    return strip ? (strip(each, isOwn) ?? []) : each
  })
}

/** The numbers and parents that both take. */
export function takenIn(findings: readonly Finding[]): TakenFinding[] {
  return findings.filter((each): each is TakenFinding => each.kind === 'number' || each.kind === 'parent')
}

/** The finding about a number or a parent, which is `value`. */
export function takenFinding({
  kind,
  value,
  next,
  ...files
}: Pick<TakenFinding, 'kind' | 'directory' | 'yours' | 'theirs'> & {
  value: string
  next: string | null
}): TakenFinding {
  return kind === 'number' ? { kind, number: value, ...files, next } : { kind, parent: value, ...files }
}

/** Names that are safe in a command line without quotes. */
const PLAIN = /^[\w@+.][\w@+./-]*$/
const DJANGO = /(?:^|\/)([\w.-]+)\/migrations$/

/**
 * How to give way: the command that renames the file, or the line of a migration that names its parent. `successor`: the
 * name of the other migration, see `successorOf`. Null if it is not known, or if a name is not plain.
 */
export function takenFix(taken: TakenFinding, successor: string | null): string | null {
  const { directory, yours } = taken
  if (taken.kind === 'parent') {
    if (successor === null || !PLAIN.test(successor)) return null
    const [, app] = DJANGO.exec(directory) ?? []
    return app !== undefined && /^\d{4}_/.test(successor)
      ? `dependencies = [("${app}", "${successor}")]`
      : `down_revision = "${successor}"`
  }
  const name = taken.next === null ? null : renumbered(yours, taken.next)
  if (name === null) return null
  const [from, to] = [pathIn(directory, yours), pathIn(directory, name)]
  return PLAIN.test(from) && PLAIN.test(to) ? `git mv ${from} ${to}` : null
}
