/** Which live work matches what the reader chose. Pure. */
import type { View } from './address.ts'
import { type LiveWork, rankOf, touches } from './live-work.ts'
import type { Activity } from './records.ts'

/** Here, `person` is the key of a person, or null for all. */
export type Choice = Pick<View, 'person' | 'path' | 'area' | 'text' | 'only_collisions'>

/** The activities that match, those with the most severe collisions first, then the newest. */
export function matching(work: LiveWork, choice: Choice): Activity[] {
  const rank = ({ id }: Activity) => rankOf(work.collisions_of.get(id)?.[0]?.severity ?? null)
  return [...work.activities.values()]
    .filter((activity) => matches(activity, work, choice))
    .sort((a, b) => rank(b) - rank(a) || b.created_at.localeCompare(a.created_at))
}

/** Whether an activity passes the whole choice. */
export function matches(activity: Activity, work: LiveWork, choice: Choice): boolean {
  const { person, path, area, text, only_collisions } = choice
  const needle = text.trim().toLowerCase()
  return (
    (person === null || work.people.get(activity.id)?.key === person) &&
    (path === null || touches(activity, path) || collidesAt(activity, work, path)) &&
    (area === null || activity.scope.areas.includes(area)) &&
    (!only_collisions || work.collisions_of.has(activity.id)) &&
    (needle === '' || searchTextOf(activity).includes(needle))
  )
}

function collidesAt({ id }: Activity, work: LiveWork, path: string): boolean {
  const isAt = (example: string) => (path.endsWith('/') ? example.startsWith(path) : example === path)
  return (work.collisions_of.get(id) ?? []).some(({ paths }) => paths.some(({ example }) => isAt(example)))
}

function searchTextOf({ title, actor, agent, branch, pr_url, scope }: Activity): string {
  const changes = scope.changes.map(({ path }) => path)
  return [title, actor, agent, branch, pr_url, ...scope.areas, ...scope.paths, ...changes]
    .join('\n')
    .toLowerCase()
}
