/** Reads a clone as it is now, for one method of the client: as a check asks for its records, and in pages of its activities. */
import type { CheckContext, Source } from '../engine/check/source.ts'
import { listedOf } from '../engine/records/activity.ts'
import { escapeGlob } from '../git/request-size.ts'
import { isClosed, isLive } from '../vocabulary/activity-status.ts'
import { Meter } from '../vocabulary/clock.ts'
import type { ListActivities, ListedActivity } from '../vocabulary/contract/activity.ts'
import type { LookedAt, OverlapResult } from '../vocabulary/contract/overlap.ts'
import type { Page } from '../vocabulary/contract/pagination.ts'
import { cursorAt } from '../vocabulary/lists.ts'
import { type Clone, readClone } from './clone.ts'
import type { CloneOptions } from './clone-options.ts'
import { findDoneBy } from './merged-work.ts'
import type { RecordFiles } from './record-files.ts'
import type { LocalActivity, LocalWork } from './work.ts'

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
        onLate: () => looked_at.unread.push('merged commits: no time was left for all; check again'),
      }),
  }
}

export function reservedIn({ activity, reserved }: LocalWork, directory: string) {
  const { id: activity_id, pr_number } = activity
  return reserved
    .filter((each) => each.directory === directory)
    .map(({ number }) => ({ number, activity_id, pr_number }))
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

export interface ReaderOptions extends Omit<CloneOptions, 'now'> {
  files: RecordFiles
  /** The branch of the working tree that asks, now; null on a detached HEAD. */
  checkedOut(): string | null
}

export interface Reader extends ReaderOptions {
  /** For a check of these changes. */
  readFor(scope: AskedScope | undefined, now: Date): Promise<Clone>
  /** Everything: the changes of the working tree that asks count as work as well. */
  readAll(now: Date): Promise<Clone>
  contextOf(clone: Clone, now: Date): CheckContext
}

export function readerOf(options: ReaderOptions): Reader {
  return {
    ...options,
    readFor: (scope, now) => readClone(options.files.read(), { ...options, now, asked: filesIn(scope) }),
    readAll: (now) => readClone(options.files.read(), { ...options, now }, { is_with_own: true }),
    contextOf: (clone, now) => ({
      now,
      settings: options.settings,
      repo: { web_urls: [options.web_url], is_tracked: true, noise_attributes: options.noise_attributes },
      caller: { meter: new Meter(), findIdentity: async () => ({ login: options.person }) },
      source: sourceOf(clone, { ...options, now }),
    }),
  }
}

interface AskedScope {
  paths: readonly string[]
  changes: readonly { path: string; previous_path?: string | null }[]
}

/** The files of a scope; undefined if it has none, or has patterns, which match files that nobody has named. */
function filesIn(scope: AskedScope | undefined): string[] | undefined {
  if (scope === undefined) return undefined
  const paths = scope.paths.map((path) => path.replace(/\\([*?{}[\]!\\])/g, '$1'))
  if (scope.paths.some((path, at) => escapeGlob(paths[at] as string) !== path)) return undefined
  const files = [
    ...paths,
    ...scope.changes.flatMap(({ path, previous_path }) => [path, previous_path ?? path]),
  ]
  return files.length > 0 ? files : undefined
}

/** Adds to the answer of a check what was looked at in the clone, and what was not. */
export function withLookedAt(
  overlap: OverlapResult,
  { sources, unread, ...counts }: LookedAt,
): OverlapResult {
  const complete = overlap.checked_against.complete && unread.length === 0
  const partial = overlap.checked_against.complete &&
    !complete && {
      reason: `${overlap.reason} Not everything in this clone was compared; sources names what is left out.`,
      ...(!overlap.overlap_detected && {
        recommended_action: 'Not everything was compared: see what was not looked at, and check again.',
      }),
    }
  const checked_against = { ...overlap.checked_against, ...counts, complete }
  return { ...overlap, ...partial, checked_against, sources: [...unread, ...sources] }
}
