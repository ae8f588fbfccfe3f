/** The other sides of a check, grouped by pull request or branch: what is shown of them, stored, and decided by. Pure. */

import { isSameAuthor } from '../../engine/check/sides.ts'
import type { Found } from '../../engine/check/source.ts'
import type { FileVerdict } from '../../engine/lines/pair-verdict.ts'
import { successorOf } from '../../engine/lines/taken.ts'
import { authorLogin, type ComparedActivity, comparedScopeOf } from '../../engine/records/activity.ts'
import { isAhead, type Stage, stageOf } from '../../vocabulary/advice.ts'
import type { PathPair } from '../../vocabulary/contract/overlap.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { byConsequence, consequenceOf, takenFix, takenIn } from '../../vocabulary/finding.ts'
import type { Consequence, Finding, TakenFinding } from '../../vocabulary/finding-kinds.ts'
import { isBot, isListed } from '../../vocabulary/names.ts'
import { isRisky, type Severity } from '../../vocabulary/severity.ts'
import { byStrength, type Confidence, type Verdict } from '../../vocabulary/verdict.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import {
  branchKey,
  bySecond,
  type FoundOverlaps,
  findAuthor,
  type LedgerSide,
  lastActive,
  lastDeclaration,
  lastPush,
  type OverlapGroup,
  type SideKey,
  type Subject,
} from './sides.ts'

/** What is said about overlapping work: one pull request or branch, with all its activities. */
export interface ReportedActivity {
  severity: Severity
  /** Title and branch are null for the pull request of a newcomer, whose words are not repeated. */
  title: string | null
  actor: string
  branch: string | null
  pull_request: { number: number; url: string } | null
  stage: Stage
  conflicts_with_base: boolean
  /** It is closer to its merge than this pull request. */
  is_ahead: boolean
  areas: string[]
  /** The strongest verdict first, each path once. Paths whose changes cannot conflict are listed only if there are no others. */
  paths: ReportedPath[]
  consequence: Consequence
  /** What both have in common, the weightiest first. */
  findings: Finding[]
  /** How this pull request gives way where both take the same: commands and lines. See `takenFix`. */
  fixes: string[]
  /** Both sides have the same author: see `isSameAuthor`. */
  is_same_author: boolean
}

/** A path that both match, and how their lines relate. */
export type ReportedPath = Omit<PathPair, 'yours' | 'theirs'> & {
  /** Where it is in the head commit of this pull request; undefined if the lines were not compared. */
  head?: FileVerdict['your_head'] | undefined
}

/** The other side of an overlap: what is said about it, what the ledger stores, and what decides who is told. */
export interface Counterpart extends ReportedActivity, Omit<LedgerSide, 'key'> {
  key: OverlapGroup['key']
  /** The key that it had before its branch got a pull request; null for a branch. */
  former_key: SideKey | null
  /**
   * It is a pair of the ledger: a conflict, a duplicate, a shared number or parent, or work that is declared by paths beside
   * a pull request, with an open pull request or a branch.
   */
  is_recorded: boolean
  /** The activity that represents it: that of its pull request, else the most severe one. */
  record: ComparedActivity
  /** The strongest confidence of its conflicts; null if there is none. */
  confidence: Confidence | null
  /** The files whose changes conflict. */
  conflicts: PathPair[]
  /** The numbers and parents that both take, and the names by which other migrations build on their files. */
  sequence: { taken: TakenFinding; your_own: string | null; their_own: string | null }[]
  /** Its risk is high or critical. */
  is_risky: boolean
  /** Either side blocks others. */
  is_blocking: boolean
  /** Written by a bot that is not a coding agent: see `isBot`. */
  is_bot: boolean
  /** What both share is a glob of declared work of low or medium risk, or of risky work; else null. */
  breadth: Breadth | null
  /** When it was last pushed, made ready or declared. */
  active_at: Date
  /** When any of its activities was last changed. */
  updated_at: Date
  /** It was opened or declared before the pull request. */
  is_earlier: boolean
}

/** Work that is declared by globs: `risky` if its risk is high or critical. */
type Breadth = 'plain' | 'risky'

/** `open`: the pull request of the group, if it is open. */
export function describeCounterpart(
  { key, number, overlaps }: OverlapGroup,
  open: PullRequestRow | undefined,
  { subject, comment }: { subject: Subject; comment: Settings['comment'] },
): Counterpart {
  const [{ severity, record: first }] = overlaps
  const record = overlaps.find((each) => each.record.pr_number !== null)?.record ?? first
  const author = open?.author ?? findAuthor(record)
  const last_change = open ? lastPush(open) : lastDeclaration(overlaps.map((each) => each.record))
  const paths = overlaps.flatMap(({ match }) => match.paths)
  const conflicts = paths.filter(({ verdict }) => verdict === 'conflict')
  const isProved = conflicts.some(({ confidence }) => confidence === 'proved')
  const findings = overlaps.flatMap(({ match }) => match.findings).sort(byConsequence)
  const consequence = consequenceOf(findings) ?? 'possible'
  const isDeclared =
    paths.some(({ verdict }) => verdict === null) && (subject.pr !== null || open !== undefined)
  const isOverlap = consequence !== 'possible' && consequence !== 'same_file'
  const sequence = overlaps.flatMap((each) => describeSequence(each, subject))
  return {
    ...{ key, severity, record, author, last_change, findings, consequence, sequence },
    ...describeStanding({ record, number, open }, subject.pr),
    former_key: open ? branchKey(open.branch) : null,
    is_recorded: key !== null && (number === null || open !== undefined) && (isOverlap || isDeclared),
    areas: [...new Set(overlaps.flatMap(({ match }) => match.areas))],
    paths: listPaths(overlaps),
    fixes: sequence.flatMap(({ taken, their_own }) => takenFix(taken, their_own) ?? []),
    confidence: isProved ? 'proved' : conflicts.length > 0 ? 'likely' : null,
    conflicts: [...new Map(conflicts.map((path) => [path.example, path])).values()],
    updated_at: new Date(Math.max(...overlaps.map((each) => each.record.updated_at.getTime()))),
    active_at: open ? lastActive(open) : last_change.at,
    breadth: consequence === 'possible' ? findBreadth(subject, overlaps) : null,
    is_risky: overlaps.some((each) => isRisky(each.record.risk)),
    is_blocking: [...subject.activities, ...overlaps.map((each) => each.record)].some(
      ({ blocking }) => blocking,
    ),
    is_bot: isBot({ login: author, is_of_type_bot: open?.is_bot ?? false }, comment),
    is_same_author: overlaps.some((each) => isByAuthorOf(subject, each, { open, comment })),
  }
}

interface Represented {
  record: ComparedActivity
  number: number | null
  open: PullRequestRow | undefined
}

/** How it is called, and where it stands beside the pull request `pr`. */
function describeStanding({ record, number, open }: Represented, pr: PullRequestRow | null) {
  const { pr_number, pr_url, actor, conflicts_with_base } = record
  const isQuoted = !(open?.is_by_newcomer || record.is_by_newcomer)
  const stage = open?.is_queued ? 'queued' : stageOf(record)
  const since = open?.opened_at ?? record.created_at
  const own = pr && { stage: pullRequestStage(pr), since: pr.opened_at, number: pr.number }
  return {
    ...{ actor, stage, conflicts_with_base },
    title: isQuoted ? record.title : null,
    branch: isQuoted ? record.branch : null,
    pull_request: pr_number !== null && pr_url !== null ? { number: pr_number, url: pr_url } : null,
    is_ahead: own !== null && isAhead({ stage, since, number: pr_number }, own),
    // Within a second, the lower number counts as earlier, and work without a pull request as the earliest.
    is_earlier: own !== null && (bySecond(since, own.since) || (number ?? 0) - own.number) < 0,
  }
}

export function pullRequestStage({ is_draft, is_queued }: PullRequestRow): Stage {
  if (is_queued) return 'queued'
  return is_draft ? 'draft' : 'ready'
}

/** Verdicts of changes that may conflict. Null: the paths were compared, but not the lines. */
const MAY_CONFLICT: ReadonlySet<Verdict | null> = new Set(['conflict', 'unknown', null])

function listPaths(overlaps: FoundOverlaps): ReportedPath[] {
  const all = overlaps
    .flatMap(({ match, heads }) => match.paths.map((path) => ({ ...path, head: heads.get(path.example) })))
    .filter(({ verdict }) => verdict !== 'noise')
  const possible = all.filter(({ verdict }) => MAY_CONFLICT.has(verdict))
  const paths = new Map<string, ReportedPath>()
  for (const path of (possible.length > 0 ? possible : all).toSorted(byLines))
    if (!paths.has(path.example)) paths.set(path.example, path)
  return [...paths.values()]
}

/** A path without a verdict is sorted like one whose lines are unknown. */
function byLines(a: ReportedPath, b: ReportedPath): number {
  const known = ({ verdict, confidence }: ReportedPath) => ({ verdict: verdict ?? 'unknown', confidence })
  return byStrength(known(a), known(b))
}

/** Adds the names by which migrations would build on the files of both sides. */
function describeSequence(
  { match, record }: Found<ComparedActivity>,
  { files }: Subject,
): Counterpart['sequence'] {
  const all = takenIn(match.findings)
  if (all.length === 0) return []
  const its = comparedScopeOf(record).files
  return all.map((taken) => ({
    taken,
    your_own: successorOf(taken, taken.yours, files),
    their_own: successorOf(taken, taken.theirs, its),
  }))
}

/** Null if both sides name or change one of the shared files, or if they share areas only. */
function findBreadth({ activities }: Subject, overlaps: FoundOverlaps): Breadth | null {
  const paths = overlaps.flatMap(({ match, record }) => match.paths.map((path) => ({ ...path, record })))
  const declared = paths.filter(({ verdict }) => verdict === null)
  const isNamed = declared.some(
    ({ yours, theirs, example }) => isNameOf(yours, example) && isNameOf(theirs, example),
  )
  if (declared.length === 0 || isNamed || paths.some(({ verdict }) => verdict === 'unknown')) return null
  const isMine = declared.some(({ yours, example }) => !isNameOf(yours, example))
  const isMineRisky = isMine && activities.some(({ risk }) => isRisky(risk))
  const theirs = declared.filter((path) => !isNameOf(path.theirs, path.example))
  return isMineRisky || theirs.some(({ record }) => isRisky(record.risk)) ? 'risky' : 'plain'
}

/** Whether a declared path is the file itself, rather than a glob or a folder. */
function isNameOf(path: string, file: string): boolean {
  return path.replace(/^(\.?\/)+/, '') === file
}

/**
 * Whether an overlapping activity has the author of the subject. If it belongs to a pull request, the author of the pull
 * request counts, because another user may have declared the activity.
 */
function isByAuthorOf(
  { author, activities }: Subject,
  { record, match }: Found<ComparedActivity>,
  { open, comment }: { open: PullRequestRow | undefined; comment: Settings['comment'] },
): boolean {
  const other = open?.author ?? authorLogin(record)
  if (other === null) return match.same_author
  const assignee = activities.find((each) => each.assignee !== null)?.assignee ?? null
  return isSameAuthor(
    { login: author, actor: null, assignee, is_shared: isListed(author, comment.agents) },
    { login: other, actor: null, assignee: record.assignee, is_shared: isListed(other, comment.agents) },
  )
}
