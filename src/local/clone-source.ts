/** A clone as a check asks for its records. */
import type { CheckContext, Source } from '../engine/check/source.ts'
import type { AttributeRule } from '../engine/lines/git-attributes.ts'
import type { LineHasher } from '../engine/lines/line-hash.ts'
import type { Git } from '../git/git.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { Meter } from '../vocabulary/budget.ts'
import type { Settings } from '../vocabulary/contract/settings.ts'
import type { Clone } from './clone.ts'
import type { LocalWork } from './work.ts'

export interface ContextOptions {
  now: Date
  git: Git
  base: string | undefined
  remote: string | undefined
  /** Who asks, by name. */
  person: string
  web_url: string
  settings: Settings
  noise_attributes: readonly AttributeRule[]
  hasher(): LineHasher
  /** A working tree as it is shown: relative to the one that asks. */
  shownTree(root: string): string
}

export function contextOf(clone: Clone, options: ContextOptions): CheckContext {
  const { now, person, web_url, settings, noise_attributes } = options
  return {
    now,
    settings,
    repo: { web_urls: [web_url], is_tracked: false, noise_attributes },
    caller: { meter: new Meter(), findIdentity: async () => ({ login: person }) },
    source: sourceOf(clone, options),
  }
}

function sourceOf(
  { work, notables, set }: Clone,
  { git, base, remote, hasher, shownTree }: ContextOptions,
): Source {
  const live = [...work.values()].filter(({ activity }) => isLive(activity.status))
  const byIds = (ids: readonly string[]) => ids.flatMap((id) => work.get(id)?.activity ?? [])
  const stored = (id: string) => [...(work.get(id)?.files ?? [])]
  return {
    liveSet: async () => set,
    activities: async (ids) =>
      byIds(ids).map((each) => ({ ...each, worktree: each.worktree && shownTree(each.worktree) })),
    sided: async (ids) => byIds(ids),
    onBranch: async (branch, limit) =>
      live
        .filter(({ activity }) => activity.branch === branch)
        .map(({ activity }) => activity)
        .sort(newestFirst)
        .slice(0, limit),
    notables: async (ids) => ids.flatMap((id) => notables.get(id) ?? []),
    merged: async () => [],
    async *files(sides) {
      for (const each of sides) if (each.side.files.length > 0) yield { each, stored: stored(each.id) }
    },
    allFiles: async (sides) => new Map(sides.map(({ id }) => [id, stored(id)])),
    hasher: async () => hasher(),
    reserved: async (directory) => live.flatMap((each) => reservedIn(each, directory)),
    baseDirectory: async ({ directory, base_branch }) => {
      const branch = base_branch ?? base
      if (branch === undefined) return null
      for (const ref of [`refs/remotes/${remote}/${branch}`, `refs/heads/${branch}`]) {
        const tree = `${ref}:${directory}`
        const names = await git.output(['ls-tree', '-z', '--name-only', '--full-tree', tree])
        if (names !== undefined) return names.split('\0').filter((name) => name !== '')
      }
      return []
    },
    doneBy: async () => null,
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
