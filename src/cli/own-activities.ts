/** Removes the user's own activities from an overlap. On the base branch, the service cannot identify them by their branch. */
import { adviceOf, authorOf, clearAdvice, doneAdvice, notableAdvice, whoseOf } from '../vocabulary/advice.ts'
import type { OverlapResult as Overlap, OverlapBrief } from '../vocabulary/contract/overlap.ts'
import { findingOf } from '../vocabulary/finding.ts'
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { isNotableId } from '../vocabulary/record-id.ts'
import { byRank, highest } from '../vocabulary/severity.ts'
import { BUDGET_EXHAUSTED } from '../vocabulary/text.ts'
import { readWork } from './local-state.ts'
import type { Workspace } from './workspace.ts'

type Match = Overlap['matches'][number]

/** The id of the activity that this working tree has on its branch. */
export function ownActivityIds({
  git_directory,
  branch,
}: Pick<Workspace, 'git_directory' | 'branch'>): Set<string> {
  if (git_directory === null) return new Set()
  const { activity_id } = readWork(git_directory, branch)
  return new Set(activity_id === null ? [] : [activity_id])
}

/** On the base branch, returns the overlap without the user's own activities; on other branches, the overlap unchanged. */
export function withoutOwnOnBase(workspace: Workspace, overlap: Overlap): Overlap {
  return workspace.own_branch === null ? withoutOwn(overlap, ownActivityIds(workspace)) : overlap
}

/** Like `withoutOwnOnBase`, for the brief overlap of an update or heartbeat, which is null if the activity is not live. */
export function briefWithoutOwnOnBase(
  workspace: Workspace,
  overlap: OverlapBrief | null,
): OverlapBrief | null {
  if (overlap === null || workspace.own_branch !== null) return overlap
  return briefWithoutOwn(overlap, ownActivityIds(workspace))
}

/** The overlap without the activities `own`. */
export function withoutOwn(overlap: Overlap, own: ReadonlySet<string>): Overlap {
  const isOther = (id: string) => !own.has(id)
  const related_activity_ids = overlap.related_activity_ids.filter(isOther)
  const removed = overlap.related_activity_ids.length - related_activity_ids.length
  const same_file = sameFileWithout(overlap.same_file, own)
  if (removed === 0) return { ...overlap, same_file }
  const matches = overlap.matches.filter(({ id }) => isOther(id))
  const severity = highest(matches)
  const total_related = overlap.total_related - removed
  return {
    ...overlap,
    overlap_detected: total_related > 0,
    severity,
    ...(total_related === 0
      ? textWithoutOverlap(overlap)
      : {
          reason: `${overlap.reason} This includes your own work; without it the severity is ${severity}.`,
          // The service's advice is about the first activity and the first notable.
          recommended_action: isOther(overlap.related_activity_ids[0] as string)
            ? overlap.recommended_action
            : adviceFor(matches, own),
        }),
    related_activity_ids,
    relationships: Object.fromEntries(Object.entries(overlap.relationships).filter(([id]) => isOther(id))),
    matches,
    same_file,
    total_related,
  }
}

function sameFileWithout(
  { total, activity_ids }: Overlap['same_file'],
  own: ReadonlySet<string>,
): Overlap['same_file'] {
  const others = activity_ids.filter((id) => !own.has(id))
  return { total: total - (activity_ids.length - others.length), activity_ids: others }
}

/** The brief overlap without the activities `own`. It contains only some matches: if none of them is left, the severity stays the same. */
export function briefWithoutOwn(overlap: OverlapBrief, own: ReadonlySet<string>): OverlapBrief {
  const related_activity_ids = overlap.related_activity_ids.filter((id) => !own.has(id))
  if (related_activity_ids.length === overlap.related_activity_ids.length) return overlap
  const matches = overlap.matches.filter(({ id }) => !own.has(id))
  const overlap_detected = related_activity_ids.length + matches.length > 0
  const severity = overlap_detected ? (highest(matches) ?? overlap.severity) : null
  return { overlap_detected, severity, related_activity_ids, matches }
}

function textWithoutOverlap({
  checked_against: { complete },
  reason,
}: Overlap): Pick<Overlap, 'reason' | 'recommended_action'> {
  const is_exhausted = !complete && reason.includes(BUDGET_EXHAUSTED)
  const is_cut = !complete && !is_exhausted
  const but = is_exhausted
    ? ', but the check exhausted its work budget before it had compared everything'
    : ', but GitHub cut a list of changed files, and the files that it left out were not compared'
  return {
    reason: complete
      ? 'No overlap except with your own work.'
      : `No overlap was found except with your own work${but}.`,
    recommended_action: clearAdvice({ is_exhausted, is_cut }),
  }
}

/** The service's advice about the most severe activity and notable. A match does not say whose login an actor is. */
function adviceFor(matches: readonly Match[], own: ReadonlySet<string>): string {
  return [matches.find(({ id }) => !isNotableId(id)), matches.find(({ id }) => isNotableId(id))]
    .filter((each) => each !== undefined)
    .toSorted(byRank)
    .map((match) => adviceAbout(match, own))
    .join(' ')
}

function adviceAbout(match: Match, own: ReadonlySet<string>): string {
  const { id, pr_url, findings } = match
  if (isNotableId(id)) return notableAdvice(id)
  if (findingOf(findings, 'done')) return doneAdvice(id)
  const pull_request = pullRequestName(pr_url)
  const person = authorOf({ id, login: null, pull_request })
  const whose = whoseOf(match)
  const theirs = pull_request ?? (whose === 'other' ? 'theirs' : id)
  // Ids are ordered by time.
  const is_theirs_first = [...own].every((each) => id < each)
  return adviceOf(match, { whose, person, theirs, is_theirs_first }).action
}
