/**
 * What a check is done with: its work, its rules and limits, and what it asks of the place where records are kept: the database of a
 * service, or the files of a clone. And what it finds: the input of its result, of reports and of the ledger.
 */
import type { Deadline, Meter } from '../../vocabulary/clock.ts'
import type { Expected, Match, OverlapResult } from '../../vocabulary/contract/overlap.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { Ranked } from '../../vocabulary/severity.ts'
import type { Author, Side } from '../kinds/kinds.ts'
import type { NewLines } from '../lines/added-lines.ts'
import type { ChangedFile, ChangeOrigin, DigestedFile, SideFile } from '../lines/change.ts'
import type { Digest } from '../lines/digest.ts'
import type { LineHasher } from '../lines/line-hash.ts'
import type { AttributeRule } from '../lines/noise.ts'
import type { FileVerdict } from '../lines/pair-verdict.ts'
import type { LiveSet } from '../live-set.ts'
import type { StoredScope } from '../record.ts'
import type { ComparedActivity, MergedActivity } from '../records/activity.ts'
import type { StoredNotable } from '../records/notable.ts'
import type { Branches } from '../stacks.ts'
import type { Proposal, Rules } from './compare.ts'

/** What a check is done in. It reads no clock of its own. */
export interface CheckContext {
  readonly now: Date
  readonly settings: Settings
  readonly repo: CheckedRepo
  readonly caller: CheckCaller
  readonly source: Source
}

export interface CheckedRepo {
  /** The addresses of the repository, the current one first. */
  readonly web_urls: readonly string[]
  /** Its pull requests are known. */
  readonly is_tracked: boolean
  readonly noise_attributes: readonly AttributeRule[]
}

export interface CheckCaller {
  readonly meter: Meter
  /** Null if nobody is known to ask. */
  findIdentity(): Promise<{ login: string } | null>
}

/** The stored files of an activity; their digests are decoded when they are compared. */
export interface StoredFile extends ChangedFile {
  origin: ChangeOrigin
  changed_lines: number | null
  digest: Uint8Array | Digest | null
}

export interface Sided {
  id: string
  side: Side
}

export interface Names {
  has(name: string): boolean
}

export interface Source {
  /** All live records. Everything that was stored before the call is in it. */
  liveSet(): Promise<LiveSet>
  /** Those that exist, in any order. */
  activities(ids: string[]): Promise<ComparedActivity[]>
  notables(ids: string[]): Promise<StoredNotable[]>
  /** Up to `limit` activities merged after `since`, and before `before` if there is one; the last merged first. */
  merged(page: { since: Date; before: MergedActivity | undefined; limit: number }): Promise<MergedActivity[]>
  /** The stored files of each activity that has any, in order. */
  files<Each extends Sided>(sides: readonly Each[]): AsyncIterable<{ each: Each; stored: StoredFile[] }>
  /**
   * What work (null: a proposal) has changed since it parted from other work, if that was at a commit which the base branch has
   * not: what both have until there is the work of neither.
   */
  since?(id: string | null, other: string): Promise<(StoredFile & SideFile)[] | undefined>
  /** Hashes lines with the key of the repository. */
  hasher: LineHasher
  reserved(directory: string): Promise<ReservedNumber[]>
  /** The names of the files in a directory of the base branch; null if there is nobody to ask. */
  baseDirectory(directory: BaseDirectory): Promise<string[] | null>
  /** The merged pull request or commit that has most of the lines that work adds; null if there is none. */
  doneBy(lines: NewLines, work: DoneSubject): Promise<DoneBy | null>
}

/** A directory of the branch that work will be merged into; `base_branch` is null for the default branch. */
export interface BaseDirectory {
  directory: string
  base_branch: string | null
}

export interface ReservedNumber {
  number: string
  activity_id: string
  pr_number: number | null
}

/** Whose lines are looked for. `numbers`: its own pull requests. */
export interface DoneSubject {
  branch: string | null
  base_branch: string | null
  numbers: readonly number[]
}

/** Merged work that has most of the lines of other work. */
export interface DoneBy {
  /** Null if the pull request is not known, but the commit. */
  number: number | null
  title: string
  author: string
  is_by_newcomer: boolean
  /** Null if it has no page. */
  url: string | null
  /** The commit at its head, or that merged it. */
  head_sha: string
  /** How many of the lines it has, and how many there are, without those that are common. */
  shared: number
  lines: number
  merged_at: Date
}

/** What is checked: a proposal, or existing activities. */
export interface CheckInput {
  /** The ids of the checked activities, if they exist. They are excluded. */
  self: string[]
  branch: string | null
  pull_requests: ReadonlySet<number>
  /** A proposal without one has that of the newest other work on its branch. */
  base_branch: string | null
  scopes: StoredScope[]
  side: Side
  readFiles(deadline: Deadline): Promise<DigestedFile[]>
  /** The number of its activities whose changed files are not all known. */
  cut: number
  /** It takes work back, or makes it again, so that others may have done it before. */
  is_made_again: boolean
  /** The author, if `side` does not contain it. Called only if something collides. */
  findAuthor?: () => Promise<Author>
}

/** A check that has begun. */
export interface CheckedWork extends CheckInput {
  ctx: CheckContext
  rules: Rules
  proposal: Proposal
}

/** What a match says about the record itself. */
export type MatchName = Pick<Match, 'title' | 'actor' | 'branch' | 'pr_url' | 'worktree'>

export interface Found<Record> extends Ranked {
  match: Omit<Match, keyof Ranked | keyof MatchName>
  /** Both sides have changed files, whose lines were compared. */
  is_by_lines: boolean
  /** For each shared file, its path and lines after the change of the proposal. Keyed by `example`. */
  heads: ReadonlyMap<string, FileVerdict['your_head']>
  record: Record
}

/** `same_author`: it is by the author of the checked work. */
export interface DoneWork extends DoneBy {
  same_author: boolean
}

export interface Conclusion {
  /** The ids of the activities whose work was checked. */
  self: readonly string[]
  branch: string | null
  emptiness: Proposal['emptiness']
  expected: Expected
  /** The activities that overlap but have another base branch. */
  other_base: string[]
  /** Whether other work, overlapping or not, is of the same branch or stack, or for another base branch. */
  isApart: (other: Branches) => boolean
  /** The most severe first. */
  collisions: Found<ComparedActivity>[]
  notables: Found<StoredNotable>[]
  /** The activities that only change the same files, with their lines apart, the newest first. */
  same_file: string[]
  /** The last merged first. */
  merged: MergedActivity[]
  /** The merged pull request that has most of the lines that the work adds; null if there is none. */
  done_by: DoneWork | null
  total_related: number
  /** The number of activities without a match, or of the work itself, whose changed files are not all known. */
  cut: number
  /** Pull requests were being imported, so there may be more live work than was compared. */
  is_importing?: boolean
  /** `complete`: the check reached no limit. */
  checked_against: OverlapResult['checked_against']
}
