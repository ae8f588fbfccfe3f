/** The timeline: lanes of bars that begin when the work began and end at now, and arcs between colliding activities. */
import { memo } from 'preact/compat'
import type { Bar, Board, Lane, Link } from './board.ts'

/** Kept in step with style.css. */
const ROW_PX = 34
const LANE_PX = 30
/** The part of the width that is time; the rest, to the right of now, belongs to the arcs. */
const TIME_WIDTH = 0.68
/** More arc labels than this would cover each other. */
const ARC_LABELS_MAX = 12

interface Props {
  board: Board
  onShow: (id: string) => void
}

export const Timeline = memo(({ board, onShow }: Props) => (
  <div class="timeline">
    <div class="axis" aria-hidden="true">
      {board.ticks.map(({ position, label }) => (
        <span key={label} style={{ left: percent(position * TIME_WIDTH) }}>
          {label}
        </span>
      ))}
    </div>
    <div class="lanes">
      {board.ticks.map(({ position, label }) => (
        <div
          key={label}
          class={position === 1 ? 'tick now' : 'tick'}
          style={{ left: percent(position * TIME_WIDTH) }}
          aria-hidden="true"
        />
      ))}
      {board.lanes.map((lane) => (
        <LaneView key={lane.name} lane={lane} onShow={onShow} />
      ))}
      <Arcs board={board} onShow={onShow} />
    </div>
  </div>
))

function LaneView({ lane, onShow }: { lane: Lane } & Pick<Props, 'onShow'>) {
  const height = LANE_PX + lane.bars.length * ROW_PX
  return (
    <section
      class="lane"
      aria-label={`${lane.name}, ${lane.bars.length}`}
      style={{ containIntrinsicHeight: `auto ${height}px` }}
    >
      <h3>{lane.name}</h3>
      <ul>
        {lane.bars.map((bar) => (
          <li key={bar.activity.id}>
            <BarView bar={bar} onShow={onShow} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The button covers the whole row, so that the shortest bar is easy to hit; `extent` has the true length. */
function BarView({ bar, onShow }: { bar: Bar } & Pick<Props, 'onShow'>) {
  const { activity, start, age, label } = bar
  const { id, title, actor, agent, status, risk } = activity
  const classes = [
    'bar',
    `status-${status}`,
    `risk-${risk}`,
    bar.is_cut && 'cut',
    bar.is_colliding && 'colliding',
    bar.is_outside && 'outside',
  ]
  const labelPlace =
    label === 'inside' ? { left: percent(start), right: 0 } : { left: 0, right: percent(1 - start) }
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(' ')}
      title={`${title} · ${actor}, for ${age}`}
      onClick={() => onShow(id)}
    >
      <span class="extent" style={{ left: percent(start), width: percent(1 - start) }} aria-hidden="true" />
      <span class={`label ${label}`} style={labelPlace}>
        <span class="title">{title}</span>
        <span class="actor">
          {actor}
          {agent && ` · ${agent}`} · {age}
        </span>
      </span>
      <span class="unseen">
        , {status}, risk {risk}
        {bar.is_colliding && ', collides with other work'}
        {bar.is_outside && ', outside the filter'}
      </span>
    </button>
  )
}

function Arcs({ board, onShow }: Props) {
  const middles = rowMiddles(board)
  const height = board.row_count * ROW_PX + board.lanes.length * LANE_PX
  return (
    <>
      <svg
        class="arcs"
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        style={{ height: `${height}px` }}
        aria-hidden="true"
      >
        {board.links.map((link) => (
          <path
            key={link.overlap.activity_ids.join()}
            class={`severity-${link.overlap.severity}`}
            d={arcOf(link, middles)}
            vector-effect="non-scaling-stroke"
          />
        ))}
      </svg>
      {board.links.length <= ARC_LABELS_MAX &&
        board.links.map((link) => (
          <ArcLabel key={link.overlap.activity_ids.join()} {...{ link, middles, onShow }} />
        ))}
    </>
  )
}

function ArcLabel({ link, middles, onShow }: { link: Link; middles: number[] } & Pick<Props, 'onShow'>) {
  const { overlap, rows } = link
  const [upper = 0, lower = 0] = rows.map((row) => middles[row])
  const example = overlap.paths[0]?.example ?? overlap.areas.join(', ')
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      class={`example severity-${overlap.severity}`}
      style={{
        top: `${(upper + lower) / 2}px`,
        // A cubic curve reaches three quarters of the way to its control points.
        left: percent(TIME_WIDTH + (1 - TIME_WIDTH) * 0.0075 * bulgeOf(link)),
      }}
      title={example}
      onClick={() => onShow(overlap.activity_ids[0] ?? '')}
    >
      {example}
    </button>
  )
}

/** How far an arc's control points lie from now, in hundredths of the space to its right. */
function bulgeOf({ reach }: Link): number {
  return 12 + reach * 46
}

/** The middle of each row, in pixels from the top of the lanes. */
function rowMiddles(board: Board): number[] {
  const middles: number[] = []
  let top = 0
  for (const { bars } of board.lanes) {
    top += LANE_PX
    for (const { row } of bars) {
      middles[row] = top + ROW_PX / 2
      top += ROW_PX
    }
  }
  return middles
}

function arcOf(link: Link, middles: number[]): string {
  const [upper = 0, lower = 0] = link.rows.map((row) => middles[row])
  const bulge = bulgeOf(link)
  return `M 0 ${upper} C ${bulge} ${upper}, ${bulge} ${lower}, 0 ${lower}`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`
}
