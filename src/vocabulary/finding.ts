/** What two pieces of work have in common, one finding for each reason, and what a pair leads to (docs/contract/overlap.md#consequences). Pure. */
import type { LinesVerdict } from './verdict.ts'

/** The weightiest first. `same_file` is no overlap: nobody has to do anything. */
export const CONSEQUENCES = ['conflict', 'same_work', 'same_number', 'possible', 'same_file'] as const
export type Consequence = (typeof CONSEQUENCES)[number]

/** What a new file of each side takes, and the names of the two files. */
interface Taken {
  directory: string
  yours: string
  theirs: string
}

/** The strongest verdict about a file that both change. `path` is its name. */
export interface LinesFinding extends LinesVerdict {
  kind: 'lines'
  path: string
  /** For `unknown`: declared work sent no patch, so the lines that it will change are not known. */
  lacks_patch: boolean
}

/** Declared paths that match a common path, which is `path`. */
export interface PathsFinding {
  kind: 'paths'
  path: string
  yours: string
  theirs: string
}

/** Labels that both name. */
export interface AreasFinding {
  kind: 'areas'
  areas: string[]
}

/** The smaller side's added lines, and the share of them that the other side adds too. All of its changes may be removals. */
export interface DuplicateFinding {
  kind: 'duplicate'
  /** From 0 to 1. */
  share: number
  /** The number of distinct telling lines. */
  added_lines: number
}

/** An issue that both are on or close. */
export interface IssueFinding {
  kind: 'issue'
  issue: number
}

/** Both add a file with this number to the directory. */
export interface NumberFinding extends Taken {
  kind: 'number'
  number: string
  /** The next free number, as text of the same width; null if it is not known. */
  next: string | null
}

/** Both add a migration that builds on this one. */
export interface ParentFinding extends Taken {
  kind: 'parent'
  parent: string
}

/** A merged pull request has this share of the lines that the work adds. */
export interface DoneFinding {
  kind: 'done'
  url: string | null
  share: number
  added_lines: number
}

/** A notable. `path`: one that both match; null if it has no paths, or only an area is shared. `url`: its decision document. */
export interface NotableFinding {
  kind: 'notable'
  path: string | null
  url: string | null
}

export type TakenFinding = NumberFinding | ParentFinding

export type Finding =
  | LinesFinding
  | PathsFinding
  | AreasFinding
  | DuplicateFinding
  | IssueFinding
  | TakenFinding
  | DoneFinding
  | NotableFinding

export type FindingKind = Finding['kind']
export type FindingOf<Kind extends FindingKind> = Extract<Finding, { kind: Kind }>

/** The first finding of a kind. */
export function findingOf<Kind extends FindingKind>(
  findings: readonly Finding[],
  kind: Kind,
): FindingOf<Kind> | undefined {
  return findings.find((each): each is FindingOf<Kind> => each.kind === kind)
}

/** The numbers and parents that both take. */
export function takenIn(findings: readonly Finding[]): TakenFinding[] {
  return findings.filter((each): each is TakenFinding => each.kind === 'number' || each.kind === 'parent')
}

/** Whether two live sides seem to do the same work. */
export function isSameWork(findings: readonly Finding[]): boolean {
  return findings.some(({ kind }) => kind === 'duplicate' || kind === 'issue')
}

/** Whether one of both has to give way, also where git stops anyway: they do the same work, or take the same. */
export function isForOneOfBoth(findings: readonly Finding[]): boolean {
  return isSameWork(findings) || takenIn(findings).length > 0
}

/** The number, or the name of the parent. */
export function takenValue(taken: TakenFinding): string {
  return taken.kind === 'number' ? taken.number : taken.parent
}

/** The next free number; null for a parent. */
export function nextOf(taken: TakenFinding): string | null {
  return taken.kind === 'number' ? taken.next : null
}

/** The finding about a number or a parent, which is `value`. */
export function takenFinding({
  kind,
  value,
  next,
  ...files
}: Taken & { kind: TakenFinding['kind']; value: string; next: string | null }): TakenFinding {
  return kind === 'number' ? { kind, number: value, ...files, next } : { kind, parent: value, ...files }
}
