/** Avatars of people, with initials where there is no picture. */
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { hueOf, initialsOf, type Person } from './people.ts'

/** The web address of GitHub; null until it is known. */
export const GithubUrl = createContext<string | null>(null)

/** Logins whose picture did not load: they are not requested again. */
const without_picture = new Set<string>()
const AVATARS_MAX = 5

export function Avatar({ person }: { person: Person }) {
  const github_url = useContext(GithubUrl)
  const [hasFailed, setHasFailed] = useState(false)
  const { key, name, login } = person
  if (github_url === null || login === null || hasFailed || without_picture.has(login))
    return (
      <span class="avatar" style={{ '--hue': hueOf(key) }} aria-hidden="true">
        {initialsOf(name)}
      </span>
    )
  return (
    <img
      class="avatar"
      src={`${github_url}/${login}.png?size=48`}
      alt=""
      loading="lazy"
      referrerpolicy="no-referrer"
      onError={() => {
        without_picture.add(login)
        setHasFailed(true)
      }}
    />
  )
}

/** A row of avatars. Screen readers get all names. `total`: the number of people, if `people` contains only some of them. */
export function Avatars({ people, total = people.length }: { people: readonly Person[]; total?: number }) {
  const more = total - Math.min(people.length, AVATARS_MAX)
  const unnamed = total > people.length ? [`${total - people.length} more`] : []
  const names = [...people.map(({ name }) => name), ...unnamed].join(', ')
  return (
    <span class="avatars" role="img" aria-label={names} title={names}>
      {people.slice(0, AVATARS_MAX).map((person) => (
        <Avatar key={person.key} person={person} />
      ))}
      {more > 0 && <span class="avatar more">+{more}</span>}
    </span>
  )
}
