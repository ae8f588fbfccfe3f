/** What is known about a pull request or branch when it is decided who is told what. */

import type { Conclusion } from '../../engine/check/conclusion.ts'
import type { ChangedFile } from '../../engine/lines/change.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import type { LastChange, SideKey } from './pair.ts'
import type { SidePairs } from './side-pairs.ts'
import type { Counterpart, Subject } from './sides.ts'
import type { Room } from './who-is-told.ts'

/** A side, and what the search found. Read before the ledger is locked. */
export interface Check {
  subject: Subject
  /** Null if the pull request has no live activity, so that nothing was compared. */
  conclusion: Conclusion | null
  /** Not all activities of the side were compared, so a pair that was not found may still exist. */
  is_partial: boolean
  /** What the budget leaves for the pull request. */
  room: Room
  /** The URL of the page that opens with this pull request selected; null if the service has no public address. */
  page_url: string | null
  /** By directory, the next number for those that a merge took. */
  next_numbers: ReadonlyMap<string, string>
}

export interface Facts extends Check {
  now: Date
  settings: Settings
  repo: Pick<RepoContext['repo'], 'id' | 'web_urls' | 'is_notified'>
  counterparts: readonly Counterpart[]
  /** The changed files of the side. */
  own_files: readonly ChangedFile[]
  /** Null if no ledger is kept, or if nothing was compared. */
  ledger: LedgerFacts | null
}

/** Read in the transaction that has locked the ledger. */
export interface LedgerFacts extends SidePairs {
  /** The other sides of open pairs that the check did not find, with their last change. Null for a branch whose work has ended, and for a pull request for another base branch. */
  absent: ReadonlyMap<SideKey, LastChange | null>
}
