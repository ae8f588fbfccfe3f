/** How many activities and collisions each person has. Pure. */
import { type LiveWork, rankOf } from './live-work.ts'
import type { Person } from './people.ts'

export interface PersonCount {
  person: Person
  activities: number
  /** The collisions of these activities. */
  collisions: number
}

/** The people, those with the most severe and then with the most collisions first, then by name. */
export function peopleCounts(work: LiveWork): PersonCount[] {
  const counts = new Map<string, PersonCount & { rank: number }>()
  for (const [id, person] of work.people) {
    const count = counts.get(person.key) ?? { person, activities: 0, collisions: 0, rank: -1 }
    const own = work.collisions_of.get(id) ?? []
    count.activities += 1
    count.collisions += own.length
    for (const { severity } of own.slice(0, 1)) count.rank = Math.max(count.rank, rankOf(severity))
    counts.set(person.key, count)
  }
  return [...counts.values()].sort(
    (a, b) => b.rank - a.rank || b.collisions - a.collisions || a.person.name.localeCompare(b.person.name),
  )
}
