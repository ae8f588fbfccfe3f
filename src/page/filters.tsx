/** The filters of the hot spots and the timeline: a search, an area, only collisions, and the chosen person and path. */
import type { View } from './address.ts'
import { changeView } from './use-address.ts'

interface Props {
  view: View
  /** All areas of live work. */
  areas: string[]
  /** The name of the person in the address; null if there is none. */
  personName: string | null
}

export function Filters({ view, areas, personName }: Props) {
  const { text, area, path, only_collisions } = view
  return (
    <form class="filters line" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span class="unseen">Search titles, people, branches and paths</span>
        <input
          type="search"
          placeholder="Search title, person, path …   /"
          value={text}
          onInput={(event) => changeView({ text: event.currentTarget.value }, { replace: true })}
        />
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
      {personName !== null && (
        <Chosen what="person" name={personName} onRemove={() => changeView({ person: null })} />
      )}
      {path !== null && <Chosen what="path" name={path} onRemove={() => changeView({ path: null })} />}
    </form>
  )
}

function Chosen({ what, name, onRemove }: { what: string; name: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      class="chip chosen"
      aria-label={`Remove the filter: ${what} ${name}`}
      onClick={onRemove}
    >
      {name} ✕
    </button>
  )
}
