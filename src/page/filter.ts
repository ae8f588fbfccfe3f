/** Which live work matches what the reader chose, and which of it is hidden. Pure. */
import { DAY_MS } from '../vocabulary/clock.ts'
import type { View } from './address.ts'
import { type LiveWork, touches } from './live-work.ts'
import type { Activity, Overlap } from './records.ts'

export interface Choice extends Pick<View, 'person' | 'path' | 'text' | 'mine' | 'pull_request'> {
  /** The key of the reader; null if unknown. */
  reader: string | null
}

/** Whether an activity passes the choice, apart from its path. */
export function matches(activity: Activity, work: LiveWork, choice: Choice): boolean {
  const { person, text, mine, reader, pull_request } = choice
  const needle = text.trim().toLowerCase()
  const key = work.people.get(activity.id)?.key
  return (
    (person === null || key === person) &&
    (!mine || key === reader) &&
    (pull_request === null || activity.pr_url?.endsWith(`/pull/${pull_request}`) === true) &&
    (needle === '' || searchTextOf(activity).includes(needle))
  )
}

/** Whether both sides of an overlap are at a path, or it was found there. */
export function isAt({ paths, activity_ids }: Overlap, work: LiveWork, path: string): boolean {
  const isExample = (example: string) => (path.endsWith('/') ? example.startsWith(path) : example === path)
  return (
    paths.some(({ example }) => isExample(example)) ||
    activity_ids.every((id) => touches(work.activities.get(id) as Activity, path))
  )
}

function searchTextOf({ title, actor, agent, branch, pr_url, scope }: Activity): string {
  const changes = scope.changes.map(({ path }) => path)
  return [title, actor, agent, branch, pr_url, ...scope.areas, ...scope.paths, ...changes]
    .join('\n')
    .toLowerCase()
}

/** Kinds of work that can be hidden. */
export const HIDEABLE = ['idle', 'bots', 'drafts'] as const
export type Hideable = (typeof HIDEABLE)[number]

const IDLE_AFTER_DAYS = 14

/** When work went on last, as far as GitHub and its records say. */
export function lastActive({ pushed_at, updated_at }: Activity): string {
  return pushed_at ?? updated_at
}

export function isOf(kind: Hideable, activity: Activity, now_ms: number): boolean {
  if (kind === 'bots') return activity.is_bot === true
  if (kind === 'drafts') return activity.draft_pr
  return now_ms - Date.parse(lastActive(activity)) > IDLE_AFTER_DAYS * DAY_MS
}
