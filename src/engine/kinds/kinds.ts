/** Compares two sides by their changed files. Of each kind of finding: how it is found, and how severe it is (docs/contract/overlap.md#consequences). Its words are in `vocabulary/finding-kinds.ts`. */

import type { Steps } from '../../vocabulary/clock.ts'
import { byConsequence } from '../../vocabulary/finding.ts'
import type { Finding, FindingKind, FindingOf } from '../../vocabulary/finding-kinds.ts'
import { higher, overlapSeverity, type Severity, type Weight } from '../../vocabulary/severity.ts'
import { byStrength } from '../../vocabulary/verdict.ts'
import { type Fingerprint, sharedCount } from '../lines/added-lines.ts'
import type { Whole } from '../lines/blocks-verdict.ts'
import type { DigestedFile, FileIndex, SideFile } from '../lines/change.ts'
import {
  type FilePair,
  type FileVerdict,
  type PairVerdict,
  type PairVerdictOptions,
  pairVerdict,
} from '../lines/pair-verdict.ts'
import { type NumberRules, sharedTaken, type Taking } from '../lines/taken.ts'

export interface Author {
  /** The GitHub login; null if unknown. */
  login: string | null
  /** The actor of declared work; null for a pull request, the login of its caller for a check. */
  actor: string | null
  /** The first person who is assigned to its pull request, other than the author; null if nobody is. */
  assignee: string | null
  /** The login is that of a coding agent, which works for many people. */
  is_shared: boolean
}

/** What is known of a side without its files. */
export interface Intent {
  /** The issues that it is on: the one that was sent with it, and those that its pull request closes. */
  issues: ReadonlySet<number>
  /** Those, and the issues that declared work names. See `closingIssues`. */
  closes: ReadonlySet<number>
  author: Author
}

/** The changes of one activity, of several activities of one branch, or of the input of a check. */
export interface Side extends Intent {
  files: readonly SideFile[]
}

export interface DigestedSide extends Intent {
  files: readonly DigestedFile[]
  /** The `fileKey` of all its files that are neither ignored nor noise. `files` may be those that others change too. */
  counted: ReadonlySet<string>
  /** The places of its manifests, which are noise, but not if both make one change. */
  manifests: ReadonlySet<string>
  fingerprint: Fingerprint
  /** The fingerprint without new migrations of Django and Alembic, half of whose lines the framework writes. */
  written: Fingerprint
  taking: Taking
}

/** A side with its files by name, which are those that other sides can have too. */
export interface IndexedSide extends DigestedSide {
  index: FileIndex<DigestedFile>
}

interface ComparedSides {
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
  number: { severityOf: () => 'high', find: (sides) => sharedTaken('number', sides) },
  parent: { severityOf: () => 'high', find: (sides) => sharedTaken('parent', sides) },
  lines: { severityOf: severityOfLines, find: findLines },
  paths: { severityOf: (_, weight) => overlapSeverity('path', weight) },
  areas: { severityOf: (_, weight) => overlapSeverity('area', weight) },
  notable: { severityOf: (_, weight) => overlapSeverity('notable', weight) },
}

/** The highest severity; null if nobody has to do anything. `weight`: that of the other side. */
export function severityOf(findings: readonly Finding[], weight: Weight): Severity | null {
  return findings
    .map((each) => (KINDS[each.kind] as unknown as Kind<FindingKind>).severityOf(each, weight))
    .reduce<Severity | null>((highest, each) => higher(highest, each), null)
}

/** How many lines the smaller side must add at least, and which share of them the other side must add too. */
const WRITTEN = { lines_min: 5, share_min: 0.5 }
const ALL = { lines_min: 10, share_min: 0.8 }

/** By the lines that both add (docs/contract/lines.md#duplicates). */
function findDuplicate({ yours, theirs, is_contained }: ComparedSides): FindingOf<'duplicate'>[] {
  const all = alikeIn(yours.fingerprint, theirs.fingerprint)
  if (is_contained) return [{ ...all, share: 1 }]
  const written = alikeIn(yours.written, theirs.written)
  if (written.added_lines >= WRITTEN.lines_min && written.share >= WRITTEN.share_min) return [written]
  return all.added_lines >= ALL.lines_min && all.share >= ALL.share_min ? [all] : []
}

function alikeIn(yours: Fingerprint, theirs: Fingerprint): FindingOf<'duplicate'> {
  const added_lines = Math.min(yours.length, theirs.length)
  return { kind: 'duplicate', share: sharedCount(yours, theirs) / (added_lines || 1), added_lines }
}

/** The first issue that both close; sides without changed files can share one, too. */
export function sharedIssue(
  yours: Pick<Intent, 'closes'>,
  theirs: Pick<Intent, 'closes'>,
): FindingOf<'issue'>[] {
  const shared = [...yours.closes].find((each) => theirs.closes.has(each))
  return shared === undefined ? [] : [{ kind: 'issue', issue: shared }]
}

/** The strongest verdict among the files that both change (docs/contract/lines.md#verdicts). */
function findLines({ pair: { strongest, files, lacks_patch } }: ComparedSides): FindingOf<'lines'>[] {
  if (strongest === null) return []
  const { verdict, confidence, your_lines, their_lines } = strongest
  // If more files are shared than were compared, the strongest verdict is about one that was not.
  const path = (files.find((each) => byStrength(each, strongest) === 0) ?? files[0])?.path ?? ''
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

export interface Comparison {
  /** What they have in common, the weightiest first. */
  findings: Finding[]
  /** The files that both change, the strongest verdict first. */
  files: FileVerdict[]
  /** They share more files than were compared. */
  cut: boolean
  /** The sides all of whose changes the other makes too. */
  contained: Whole<boolean>
  /** The keys of the files and manifests of `yours` all of whose changes the other makes too. */
  agreed: ReadonlySet<string>
}

export interface CompareOptions extends PairVerdictOptions {
  numbers: NumberRules
}

/** `shared`: the files that both change. If the deadline is over afterwards, some were not compared. */
export function* compareSides(
  yours: DigestedSide,
  theirs: DigestedSide,
  { shared, ...options }: CompareOptions & { shared: readonly FilePair[] },
): Steps<Comparison> {
  const { whole, ...pair } = yield* pairVerdict(shared, options)
  const { numbers } = options
  const isAgreed = pair.strongest?.verdict === 'agrees'
  const isContained = (side: DigestedSide, other: DigestedSide, found: ReadonlySet<string>) =>
    (isAgreed || (side.counted.size === 0 && side.manifests.size > 0)) &&
    isIn(side.counted, found) &&
    isIn(side.manifests, other.manifests)
  const contained = {
    yours: isContained(yours, theirs, whole.yours),
    theirs: isContained(theirs, yours, whole.theirs),
  }
  const is_contained = contained.yours || contained.theirs
  const sides: ComparedSides = { yours, theirs, pair, is_contained, numbers }
  const findings = Object.values(KINDS).flatMap((kind): Finding[] => kind.find?.(sides) ?? [])
  const manifests = [...yours.manifests].filter((key) => theirs.manifests.has(key))
  const counted = [...[...whole.yours].filter((key) => yours.counted.has(key)), ...manifests]
  const agreed = counted.length === 0 ? NONE : new Set(counted)
  return {
    findings: findings.sort(byConsequence),
    files: pair.files.toSorted(byStrength),
    cut: pair.cut,
    contained,
    agreed,
  }
}

/** Shared, because a list of all pairs keeps the comparison of each. */
const NONE: ReadonlySet<string> = new Set()

function isIn(keys: ReadonlySet<string>, found: ReadonlySet<string>): boolean {
  return [...keys].every((key) => found.has(key))
}

/** Pull requests that make the same changes: so many are no duplicates, but make one change that has to be made in many places. */
const COMMON_MIN = 3
const COMMON_SHARE = 1 / 3

/** Whether changes that so many pull requests make are common among the `open` ones, such as a bumped version. */
export function isCommon(makers: number, open: () => number): boolean {
  return makers >= COMMON_MIN && makers >= COMMON_SHARE * open()
}

/** The comparison of two sides whose common changes are made by many others too, which makes them no duplicates. */
export function withoutDuplicate(comparison: Comparison): Comparison {
  return {
    ...comparison,
    findings: comparison.findings.filter(({ kind }) => kind !== 'duplicate'),
  }
}

/** How many pull requests there are among these. */
export function pullsOf(numbers: Iterable<number | null>): number {
  const pulls = new Set(numbers)
  pulls.delete(null)
  return pulls.size
}
