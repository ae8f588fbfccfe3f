/** The report of a recheck: which other work overlaps with a pull request, and which is closer to its merge. */

import type { FileVerdict } from '../../engine/lines/pair-verdict.ts'
import type { PathPair } from '../../vocabulary/contract/overlap.ts'
import type { Consequence, Finding, TakenFinding } from '../../vocabulary/finding-kinds.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import type { HiddenBecause } from '../../vocabulary/shown.ts'
import type { Stage } from '../../vocabulary/standing.ts'
import type { DoneLines } from '../../vocabulary/verdict-words.ts'

/** Overlapping work: one pull request or branch, with all its activities. */
export interface ReportedActivity {
  severity: Severity
  /** Title and branch are null for the pull request of a newcomer, whose words are not repeated. */
  title: string | null
  actor: string
  branch: string | null
  pull_request: { number: number; url: string } | null
  stage: Stage
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
  /** Both have the same author. */
  is_same_author: boolean
}

/** Numbers and parents that this pull request takes, and that a merged one took before. */
export interface TakenOnBase {
  number: number
  url: string
  taken: TakenFinding[]
  fixes: string[]
}

export interface DoneBefore extends DoneLines {
  number: number
  url: string
}

/** A path that both match, and how their lines relate. */
export type ReportedPath = Omit<PathPair, 'yours' | 'theirs'> & {
  /** Where it is in the head commit of this pull request; undefined if the lines were not compared. */
  head?: FileVerdict['your_head'] | undefined
}

export interface ReportedNotable {
  severity: Severity
  title: string
  decision_url: string | null
  /** An area or a glob; null for the whole repository. */
  where: string | null
}

/** Why overlapping work is not shown, by the rules about the work itself. */
export type Suppression = Exclude<HiddenBecause, 'muted' | 'shadow' | 'no_event' | 'other_base'>

/** Overlapping work that is not shown, and why. */
export type SuppressedActivity = ReportedActivity & { suppression: Suppression }

export type Charge = 'within' | 'over'

/** Why nothing was compared with a pull request. */
type NotCompared = 'not_tracked' | 'not_live' | 'no_scope' | 'all_ignored'

/** The result of a recheck. If nothing is shown, it says what was compared. */
export interface Report {
  /** The highest severity shown; null if nothing is. */
  severity: Severity | null
  /** It is worth a comment on a pull request that has none. */
  earns_comment: boolean
  /** How a first comment with it counts for the budget: made within it, or over it; null if it does not count. */
  charge: Charge | null
  /** The activities that are shown, in the order of the comment. */
  activities: ReportedActivity[]
  notables: ReportedNotable[]
  /** What overlaps but is not shown. */
  suppressed: Suppressed
  /** Pull requests whose overlap was shown to this one, and that were merged since its last push. */
  merged: { number: number; url: string }[]
  /** The merged pull request that has most of the lines of this one; null if there is none. */
  done: DoneBefore | null
  /** What this pull request has to renumber. */
  taken: TakenOnBase[]
  /** The lowest severity that is shown, and whether it is the one for drafts. */
  threshold: { severity: Severity; is_of_draft: boolean }
  not_compared: NotCompared | null
  /** The number of live activities and active notables compared. `expected`: those of the same branch or stack. */
  compared: { activities: number; notables: number; expected: number }
  /** False if the comparison was cut short. */
  is_complete: boolean
  /** The stage of the pull request itself. */
  stage: Stage
  /** Its author may merge it, as far as is known: not a newcomer, nor somebody who works in a fork. */
  may_merge: boolean
  /** When the report was made; null to leave it out of the text. */
  as_of: Date | null
  /** The URL of the page that opens with this pull request selected; null if the service has no public address. */
  page_url: string | null
}

export interface Suppressed {
  activities: SuppressedActivity[]
  /** Below the threshold. */
  notables: ReportedNotable[]
}
