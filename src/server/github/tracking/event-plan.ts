/** Decides what an event of a pull request changes (docs/contract/activities.md#pull-requests). Pure functions. */

import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { GithubPullRequest } from '../pull-request.ts'

/** What happened. `files`: new commits; `queued`: it entered the merge queue; `seen`: no event, it was read from GitHub; `other`: labels and the like, which do not change activities. */
export type PullRequestEvent =
  | 'opened'
  | 'reopened'
  | 'draft'
  | 'files'
  | 'edited'
  | 'closed'
  | 'queued'
  | 'dequeued'
  | 'unlocked'
  | 'seen'
  | 'other'

/** A pull request as GitHub describes it with the event. */
export type Current = Pick<
  GithubPullRequest,
  'is_open' | 'is_draft' | 'head_sha' | 'base_branch' | 'title' | 'summary_hash' | 'changed_at'
>

/** What to do with the activities of an open pull request, in this order. */
export interface ActivityPlan {
  /** Link it to its activities, which also take its draft state. */
  link: boolean
  /** If no activity is linked, create one, and refresh nothing. */
  track: boolean
  /** Count a heartbeat and update these fields; `files` reads the changed files from GitHub. Null: neither. */
  refresh: { title: boolean; summary: boolean; base_branch: boolean; files: boolean } | null
}

/**
 * The plan for an event of an open pull request. `is_untracked`: it has no activity although it should have one.
 * If an earlier event could not be applied because GitHub was unavailable, this one applies both.
 */
export function planOf(
  event: PullRequestEvent,
  pr: Current,
  { before, is_untracked }: { before: PullRequestRow | undefined; is_untracked: boolean },
): ActivityPlan {
  // Other events keep title and summary, which a PATCH may have changed. A read finds an edit whose event was missed.
  const isRead = event === 'seen' && before !== undefined
  const title = event === 'edited' || (isRead && before.title !== pr.title)
  const summary = event === 'edited' || (isRead && before.summary_hash !== pr.summary_hash)
  const isNew = event === 'opened' || event === 'reopened' || before?.is_open === false
  if (isNew || is_untracked || before?.is_behind)
    return { link: true, track: true, refresh: { title, summary, base_branch: true, files: true } }
  // A new base branch means other changed files.
  const isRetargeted = before !== undefined && before.base_branch !== pr.base_branch
  const isMoved = isRetargeted || (before !== undefined && before.head_sha !== pr.head_sha)
  const files = event === 'files' || isMoved
  return {
    link: event === 'draft' || (before !== undefined && before.is_draft !== pr.is_draft),
    track: false,
    refresh:
      files || event === 'edited' || event === 'seen'
        ? { title, summary, base_branch: title || isRetargeted, files }
        : null,
  }
}

/** Whether the event ends work on the pull request. One that was closed before has nothing to do with current work on its branch. */
export function isEnd(
  event: PullRequestEvent,
  pr: Pick<Current, 'is_open'>,
  before: PullRequestRow | undefined,
): boolean {
  return !pr.is_open && (event === 'closed' || before?.is_open === true)
}

/** Whether it is in the merge queue. A push, a conversion to draft and a close remove it, even if that event is missing. */
export function isQueued(
  event: PullRequestEvent,
  pr: Pick<Current, 'is_open' | 'is_draft' | 'head_sha'>,
  before: PullRequestRow | undefined,
): boolean {
  if (event === 'dequeued' || !pr.is_open || pr.is_draft) return false
  return event === 'queued' || (before?.is_queued === true && before.head_sha === pr.head_sha)
}

/** Whether the event is about the merge queue, and none of those that were applied is newer. */
export function changesQueue(
  event: PullRequestEvent,
  { changed_at }: Pick<Current, 'changed_at'>,
  before: Pick<PullRequestRow, 'queue_changed_at'> | undefined,
): boolean {
  return (
    (event === 'queued' || event === 'dequeued') && changed_at >= (before?.queue_changed_at ?? changed_at)
  )
}

/** Whether GitHub's timestamps, which have seconds, do not tell if the event or the stored one came last: of a close and a reopening, or of two edits. */
export function isTied(
  event: PullRequestEvent,
  pr: Pick<Current, 'is_open' | 'changed_at' | 'title' | 'summary_hash'>,
  before: PullRequestRow | undefined,
): boolean {
  if (before?.changed_at.getTime() !== pr.changed_at.getTime()) return false
  const isOtherText = before.title !== pr.title || before.summary_hash !== pr.summary_hash
  return before.is_open !== pr.is_open || (event === 'edited' && isOtherText)
}

/** The events with which the row takes title and summary. */
export const TAKES_TITLE: ReadonlySet<PullRequestEvent> = new Set(['opened', 'reopened', 'edited', 'seen'])

/**
 * Whether the event may change what is published on the pull request. Labels and assignees come often and mostly change nothing; an
 * assignee is a field of the activity, whose change is rechecked. A comment may be in the words of an earlier version.
 */
export function needsRecheck(
  event: PullRequestEvent,
  pr: Pick<PullRequestRow, 'is_open' | 'is_draft' | 'head_sha' | 'base_branch' | 'is_muted'>,
  before: PullRequestRow | undefined,
): boolean {
  const compared = ({ is_open, is_draft, head_sha, base_branch, is_muted }: typeof pr) =>
    [is_open, is_draft, head_sha, base_branch, is_muted].join()
  if (event !== 'other' || !before || before.is_behind || before.comment_id !== null) return true
  return compared(pr) !== compared(before)
}
