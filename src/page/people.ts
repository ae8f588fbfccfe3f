/** The people behind activities: an activity names an actor, and often the GitHub login of its creator. Pure. */
import type { Activity } from './records.ts'

export interface Person {
  /** The lowercase login, or the lowercase name if the login is unknown. */
  key: string
  name: string
  /** The GitHub login, for the avatar; null if unknown. */
  login: string | null
}

/** A login that GitHub allows for people. Logins of bots, which have no picture, do not match. */
const LOGIN = /^[a-z\d](?:[a-z\d-]{0,38})$/i

/**
 * The person of each activity, by its id. The creator of a declared activity is its actor unless the login declares work of
 * several actors, as machine accounts do.
 */
export function peopleOf(activities: readonly Activity[]): Map<string, Person> {
  const actors = new Map<string, Set<string>>()
  for (const { source, created_by, actor } of activities) {
    if (source !== 'api' || created_by === null) continue
    const names = actors.get(created_by) ?? new Set()
    actors.set(created_by, names.add(actor.toLowerCase()))
  }
  const byKey = new Map<string, Person>()
  return new Map(
    activities.map((activity) => {
      const isShared = (actors.get(activity.created_by ?? '')?.size ?? 0) > 1
      const login = loginOf(activity, isShared)
      const key = (login ?? activity.actor).toLowerCase()
      const known = byKey.get(key)
      // A full name is kept, because it says more than a login.
      const isNamed = known !== undefined && known.name.toLowerCase() !== key
      const name = isNamed ? known.name : activity.actor
      const person = { key, name, login: login ?? known?.login ?? null }
      byKey.set(key, person)
      return [activity.id, person] as const
    }),
  )
}

function loginOf({ source, created_by, actor }: Activity, isShared: boolean): string | null {
  const login = source === 'api' ? (isShared ? null : created_by) : actor
  return login !== null && LOGIN.test(login) ? login : null
}

/** `AL` for Ada Lovelace. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters =
    words.length > 1 ? words.slice(0, 2).map(([first]) => first) : [...(words[0] ?? '?')].slice(0, 2)
  return letters.join('').toUpperCase()
}

/** A hue in degrees that stays the same for a key. */
export function hueOf(key: string): number {
  let hash = 7
  for (const char of key) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 360_007
  return hash % 360
}
