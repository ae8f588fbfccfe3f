/** Avatars of people, with initials where there is no picture, and icons of coding agents. */
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { hueOf, initialsOf, type Person } from './people.ts'

/** The web address of GitHub; null until it is known. */
export const GithubUrl = createContext<string | null>(null)

/** Logins whose picture did not load: they are not requested again. */
const without_picture = new Set<string>()
const AVATARS_MAX = 5

export function Avatar({ person, size = 20 }: { person: Person; size?: number }) {
  const github_url = useContext(GithubUrl)
  const [hasFailed, setHasFailed] = useState(false)
  const { key, name, login } = person
  if (github_url === null || login === null || hasFailed || without_picture.has(login))
    return (
      <span
        class="avatar"
        style={{ width: size, height: size, fontSize: size * 0.42, '--hue': hueOf(key) }}
        aria-hidden="true"
      >
        {initialsOf(name)}
      </span>
    )
  return (
    <img
      class="avatar"
      src={`${github_url}/${login}.png?size=${size > 24 ? 96 : 48}`}
      alt=""
      width={size}
      height={size}
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
  return (
    <span
      class="avatars"
      role="img"
      aria-label={people.map(({ name }) => name).join(', ')}
      title={people.map(({ name }) => name).join(', ')}
    >
      {people.slice(0, AVATARS_MAX).map((person) => (
        <Avatar key={person.key} person={person} />
      ))}
      {more > 0 && <span class="avatar more">+{more}</span>}
    </span>
  )
}

/** SVG paths in a box of 16 by 16, by the name of the agent. Other agents get a robot. */
const AGENT_ICONS: [name: RegExp, path: string][] = [
  [/claude/i, 'M8 1v14M1 8h14M3 3l10 10M13 3 3 13'],
  [/codex|openai/i, 'm2 4 4 4-4 4M8 12h6'],
  [/cursor/i, 'm3 2 10 6-5 1-2 5z'],
  [/copilot/i, 'M2 6h5v5H2zM9 6h5v5H9zM7 8h2M4 6V3h8v3'],
  [/jules/i, 'M4 9a4 4 0 1 1 8 0M4 9v5M7 10v4M9 10v4M12 9v5'],
  [/devin/i, 'M3 2h4a6 6 0 0 1 0 12H3z'],
]
const ROBOT = 'M3 6h10v8H3zM8 6V2M6 9v2M10 9v2'

export function AgentIcon({ agent }: { agent: string | null }) {
  if (!agent) return null
  const path = AGENT_ICONS.find(([name]) => name.test(agent))?.[1] ?? ROBOT
  return (
    <svg class="agent" viewBox="0 0 16 16" role="img" aria-label={`with ${agent}`}>
      <title>{agent}</title>
      <path d={path} />
    </svg>
  )
}
