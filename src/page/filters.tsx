/** The filters: a search, a person, an area, only collisions, and the chosen path. */
import { EVERYONE, type View } from './address.ts'
import type { PersonCount } from './people-counts.ts'
import { changeView } from './use-address.ts'

interface Props {
  view: View
  /** All areas of live work. */
  areas: string[]
  people: PersonCount[]
  /** The key of a person, or `everyone`; null if a pull request is shown. */
  chosen: string | null
  /** The key of the reader; null if unknown. */
  reader: string | null
}

export function Filters({ view, areas, people, chosen, reader }: Props) {
  const { text, area, path, only_collisions } = view
  return (
    <form class="filters line" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span class="unseen">Search titles, people, branches and paths</span>
        <input
          type="search"
          placeholder="Search title, person, path …"
          value={text}
          onInput={(event) => changeView({ text: event.currentTarget.value }, { replace: true })}
        />
      </label>
      <label>
        Person{' '}
        <select
          value={chosen ?? ''}
          onChange={({ currentTarget: { value } }) =>
            changeView({ person: value === reader ? null : value, pull_request: null })
          }
        >
          {chosen === null && <option value="">of a pull request</option>}
          <option value={EVERYONE}>everyone</option>
          {people.map(({ person: { key, name }, collisions }) => (
            <option key={key} value={key}>
              {key === reader ? 'you' : name}
              {collisions > 0 && ` (${collisions})`}
            </option>
          ))}
        </select>
      </label>
      {(areas.length > 0 || area !== null) && (
        <label>
          Area{' '}
          <select
            value={area ?? ''}
            onChange={(event) => changeView({ area: event.currentTarget.value || null })}
          >
            <option value="">any</option>
            {[...new Set([...areas, ...(area === null ? [] : [area])])].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={only_collisions}
          onChange={(event) => changeView({ only_collisions: event.currentTarget.checked })}
        />{' '}
        only collisions
      </label>
      {path !== null && (
        <button
          type="button"
          class="chip chosen"
          aria-label={`Remove the filter: path ${path}`}
          onClick={() => changeView({ path: null })}
        >
          {path} ✕
        </button>
      )}
    </form>
  )
}
