/** A clone as a check asks for its records, and pages of its activities. */
import type { CheckContext, Source } from '../engine/check/source.ts'
import { listedOf } from '../engine/records/activity.ts'
import { isClosed, isLive } from '../vocabulary/activity-status.ts'
import type { ListActivities, ListedActivity } from '../vocabulary/contract/activity.ts'
import { cursorAt, type Page } from '../vocabulary/contract/pagination.ts'
import { Meter } from '../vocabulary/deadline.ts'
import type { Clone } from './clone.ts'
import type { CloneOptions } from './clone-options.ts'
import { findDoneBy } from './merged-work.ts'
import type { LocalActivity, LocalWork } from './work.ts'

export function contextOf(clone: Clone, options: CloneOptions): CheckContext {
  const { now, person, web_url, settings, noise_attributes } = options
  return {
    now,
    settings,
    repo: { web_urls: [web_url], is_tracked: true, noise_attributes },
    caller: { meter: new Meter(), findIdentity: async () => ({ login: person }) },
    source: sourceOf(clone, options),
  }
}

function sourceOf({ work, notables, set, since, merged, looked_at }: Clone, options: CloneOptions): Source {
  const { git, base, remote, hasher, shownTree } = options
  const live = [...work.values()].filter(({ activity }) => isLive(activity.status))
  const byIds = (ids: readonly string[]) => ids.flatMap((id) => work.get(id)?.activity ?? [])
  const stored = (id: string) => [...(work.get(id)?.files ?? [])]
  return {
    liveSet: async () => set,
    activities: async (ids) =>
      byIds(ids).map((each) => ({ ...each, worktree: each.worktree && shownTree(each.worktree) })),
    notables: async (ids) => ids.flatMap((id) => notables.get(id) ?? []),
    merged: async () => [],
    async *files(sides) {
      for (const each of sides) if (each.side.files.length > 0) yield { each, stored: stored(each.id) }
    },
    since: async (id, other) => {
      const { files, base_sha } = (await since(id, other)) ?? {}
      return files?.map((file) => ({ ...file, base_sha: base_sha ?? null }))
    },
    hasher: (...line) => hasher()(...line),
    reserved: async (directory) => live.flatMap((each) => reservedIn(each, directory)),
    baseDirectory: async ({ directory, base_branch }) => {
      const [head] = await git.commitsOf(base_branch ?? base, remote)
      if (head === undefined) return null
      const names = await git.output(['ls-tree', '-z', '--name-only', '--full-tree', `${head}:${directory}`])
      return (names ?? '').split('\0').filter((name) => name !== '')
    },
    doneBy: (lines, subject) =>
      findDoneBy(lines, subject, {
        ...options,
        merged,
        onLate: () => {
          looked_at.is_late = true
          looked_at.sources.unshift('merged commits: no time was left for all; check again')
        },
      }),
  }
}

export function reservedIn({ activity, reserved }: LocalWork, directory: string) {
  const { id: activity_id, pr_number } = activity
  return reserved
    .filter((each) => each.directory === directory)
    .map(({ number }) => ({ number, activity_id, pr_number }))
}

/** Ids are ordered by time. */
export function newestFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? 1 : -1
}

/** `rows`: the newest first. Archived and expired ones only if `status` selects them. */
export function listRows(rows: readonly LocalActivity[], input: ListActivities): Page<ListedActivity> {
  const { status, risk, actor, branch, has_pr, draft_pr_only } = input
  const listed = rows.filter(
    (each) =>
      (status === undefined ? !isClosed(each.status) : each.status === status) &&
      (risk === undefined || each.risk === risk) &&
      (actor === undefined || each.actor === actor) &&
      (branch === undefined || each.branch === branch) &&
      (has_pr === undefined || (each.pr_url !== null) === has_pr) &&
      (draft_pr_only !== true || each.draft_pr),
  )
  return pageOf(listed, input, listedOf)
}

/** Up to `limit` items after the id `cursor`. */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly Row[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  itemOf: (row: Row) => Item,
): Page<Item> {
  const left = cursor === undefined ? rows : rows.filter(({ id }) => id < cursor)
  const items = left.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(itemOf), next_cursor: last && left.length > limit ? cursorAt(last.id) : null }
}
