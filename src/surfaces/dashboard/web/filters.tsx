/** What of the picture is shown: text, risk, collisions alone, and what its lanes are. */
import type { Filter, LaneBy } from './board.ts'

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
        <span class="unseen">Find in titles, people, branches and paths</span>
        <input
          type="search"
          placeholder="Find title, person, path …"
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
          value={filter.risk}
          onChange={(event) => setFilter({ ...filter, risk: event.currentTarget.value })}
        >
          <option value="">any</option>
          <option value="medium">medium and up</option>
          <option value="high">high and up</option>
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
