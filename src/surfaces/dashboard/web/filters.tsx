/** The controls of the timeline: search, risk, collisions only, and what its lanes are. */
import type { LaneBy } from './board.ts'
import type { Filter } from './selection.ts'

export function Filters({
  filter,
  setFilter,
  laneBy,
  setLaneBy,
}: {
  filter: Filter
  setFilter: (filter: Filter) => void
  laneBy: LaneBy
  setLaneBy: (lane_by: LaneBy) => void
}) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="unseen">Search titles, people, branches and paths</span>
        <input
          type="search"
          placeholder="Search title, person, path …"
          value={filter.text}
          onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <label>
        Lanes by{' '}
        <select value={laneBy} onChange={(event) => setLaneBy(event.currentTarget.value as LaneBy)}>
          <option value="area">area</option>
          <option value="folder">folder</option>
        </select>
      </label>
      <label>
        Risk{' '}
        <select
          value={filter.min_risk}
          onChange={(event) =>
            setFilter({ ...filter, min_risk: event.currentTarget.value as Filter['min_risk'] })
          }
        >
          <option value="">any</option>
          <option value="medium">medium+</option>
          <option value="high">high+</option>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.only_collisions}
          onChange={(event) => setFilter({ ...filter, only_collisions: event.currentTarget.checked })}
        />{' '}
        only collisions
      </label>
    </form>
  )
}
