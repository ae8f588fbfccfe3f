/** What a check found: the input of its result, of reports and of the ledger. */

import type { Expected, Match, OverlapResult } from '../../vocabulary/contract/overlap.ts'
import type { Ranked } from '../../vocabulary/severity.ts'
import type { FileVerdict } from '../lines/pair-verdict.ts'
import type { ComparedActivity, MergedActivity } from '../records/activity.ts'
import type { StoredNotable } from '../records/notable.ts'
import type { Branches } from '../stacks.ts'
import type { Proposal } from './compare.ts'
import type { DoneBy } from './source.ts'

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
  /** Whether other work, overlapping or not, is for another base branch. */
  isForOtherBase: (other: Branches) => boolean
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
