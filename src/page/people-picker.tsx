/** Chooses whose work is shown: the reader, everyone, those who collide most, and anyone else by name. */
import { EVERYONE } from './address.ts'
import { Avatar } from './avatar.tsx'
import type { Person } from './people.ts'
import type { PersonCount } from './people-counts.ts'
import { changeView } from './use-address.ts'

const CHIPS_MAX = 6

interface Props {
  people: PersonCount[]
  /** The key of a person, or `everyone`; null if a pull request is shown. */
  chosen: string | null
  reader: string | null
}

export function PeoplePicker({ people, chosen, reader }: Props) {
  const isReader = ({ person }: PersonCount) => person.key === reader
  const own = people.filter(isReader)
  const others = people.filter((each) => !isReader(each))
  const choose = (person: string | null) => changeView({ person, pull_request: null })
  return (
    <fieldset class="people line">
      <legend class="unseen">Whose work</legend>
      {own.map(({ person, collisions }) => (
        <Chip
          key="you"
          isOn={chosen === reader}
          onClick={() => choose(null)}
          name="You"
          {...{ person, collisions }}
        />
      ))}
      <Chip isOn={chosen === EVERYONE} onClick={() => choose(EVERYONE)} name="Everyone" />
      {others.slice(0, CHIPS_MAX).map(({ person, collisions }) => (
        <Chip
          key={person.key}
          isOn={chosen === person.key}
          onClick={() => choose(person.key)}
          {...{ person, name: person.name, collisions }}
        />
      ))}
      {others.length > CHIPS_MAX && (
        <select
          aria-label="Another person"
          value={others.some(({ person }) => person.key === chosen) ? (chosen ?? '') : ''}
          onChange={(event) => event.currentTarget.value && choose(event.currentTarget.value)}
        >
          <option value="">someone else …</option>
          {others.map(({ person, collisions }) => (
            <option key={person.key} value={person.key}>
              {person.name}
              {collisions > 0 && ` (${collisions})`}
            </option>
          ))}
        </select>
      )}
    </fieldset>
  )
}

interface ChipProps {
  isOn: boolean
  onClick: () => void
  person?: Person
  name: string
  collisions?: number
}

function Chip({ isOn, onClick, person, name, collisions = 0 }: ChipProps) {
  return (
    <button type="button" class="chip" data-item aria-pressed={isOn} onClick={onClick}>
      {person && <Avatar person={person} />} {name}
      {collisions > 0 && (
        <span class="count">
          {collisions}
          <span class="unseen"> collisions</span>
        </span>
      )}
    </button>
  )
}
