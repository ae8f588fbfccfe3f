/** The picture: lanes of bars over time, and arcs at the line of now between works that collide. */
import { memo } from 'preact/compat'
import type { Bar, Board, Lane, Link } from './board.ts'

/** Kept in step with style.css. */
const ROW_PX = 34
const LANE_PX = 30
/** Where now lies in the width: bars end there, and what is to the right of it belongs to the arcs. */
const NOW = 0.68
/** Labels at the arcs are drawn as long as they do not hide each other. */
const LABELS_MAX = 12

interface Props {
  board: Board
  onShow: (id: string) => void
}

export const Picture = memo(({ board, onShow }: Props) => {
  const colliding = new Set(board.links.flatMap(({ overlap }) => overlap.activity_ids))
  return (
    <div class="picture">
      <div class="axis" aria-hidden="true">
        {board.ticks.map(({ at, label }) => (
          <span key={label} style={{ left: percent(at * NOW) }}>
            {label}
          </span>
        ))}
      </div>
      <div class="lanes">
        {board.lanes.map((lane) => (
          <LaneView key={lane.name} lane={lane} colliding={colliding} onShow={onShow} />
        ))}
        <div class="now" aria-hidden="true" />
        <Arcs board={board} onShow={onShow} />
      </div>
    </div>
  )
})

function LaneView({
  lane,
  colliding,
  onShow,
}: { lane: Lane; colliding: Set<string> } & Pick<Props, 'onShow'>) {
  return (
    <section class="lane" aria-label={`${lane.name}, ${lane.bars.length}`}>
      <h3>{lane.name}</h3>
      <ul>
        {lane.bars.map((bar) => (
          <li key={bar.activity.id}>
            <span class="extent" style={{ width: percent(bar.length * NOW) }} aria-hidden="true" />
            <BarView bar={bar} isColliding={colliding.has(bar.activity.id)} onShow={onShow} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function BarView({ bar, isColliding, onShow }: { bar: Bar; isColliding: boolean } & Pick<Props, 'onShow'>) {
  const { activity, length, age, is_cut } = bar
  const { id, title, actor, agent, status, risk } = activity
  const classes = ['bar', `status-${status}`, `risk-${risk}`, is_cut && 'cut', isColliding && 'colliding']
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(' ')}
      style={{ width: percent(length) }}
      title={`${title} · ${actor}, for ${age}`}
      onClick={() => onShow(id)}
    >
      <span class="title">{title}</span>
      <span class="actor">
        {actor}
        {agent && ` · ${agent}`} · {age}
      </span>
      <span class="unseen">
        , {status}, risk {risk}
        {isColliding && ', collides with other work'}
      </span>
    </button>
  )
}

function Arcs({ board, onShow }: { board: Board } & Pick<Props, 'onShow'>) {
  const heights = heightsOf(board)
  const total = board.rows * ROW_PX + board.lanes.length * LANE_PX
  return (
    <>
      <svg
        class="arcs"
        viewBox={`0 0 100 ${total}`}
        preserveAspectRatio="none"
        style={{ height: `${total}px` }}
        aria-hidden="true"
      >
        {board.links.map((link) => (
          <path
            key={link.overlap.activity_ids.join()}
            class={`severity-${link.overlap.severity}`}
            d={arcOf(link, heights)}
            vector-effect="non-scaling-stroke"
          />
        ))}
      </svg>
      {board.links.length <= LABELS_MAX &&
        board.links.map((link) => {
          const [upper = 0, lower = 0] = link.rows.map((row) => heights[row] ?? 0)
          const example = exampleOf(link)
          return (
            <button
              type="button"
              tabIndex={-1}
              aria-hidden="true"
              key={link.overlap.activity_ids.join()}
              class={`example severity-${link.overlap.severity}`}
              style={{
                top: `${(upper + lower) / 2}px`,
                left: percent(NOW + (1 - NOW) * 0.0075 * bulgeOf(link)),
              }}
              title={example}
              onClick={() => onShow(link.overlap.activity_ids[0] ?? '')}
            >
              {example}
            </button>
          )
        })}
    </>
  )
}

function exampleOf({ overlap }: Pick<Link, 'overlap'>): string {
  return overlap.paths[0]?.example ?? overlap.areas.join(', ')
}

/** In hundredths of the space to the right of now. */
function bulgeOf({ reach }: Link): number {
  return 12 + reach * 46
}

/** The middle of each row, in pixels from the top of the lanes. */
function heightsOf(board: Board): number[] {
  const heights: number[] = []
  let top = 0
  for (const { bars } of board.lanes) {
    top += LANE_PX
    for (const { row } of bars) {
      heights[row] = top + ROW_PX / 2
      top += ROW_PX
    }
  }
  return heights
}

function arcOf(link: Link, heights: number[]): string {
  const [upper = 0, lower = 0] = link.rows.map((row) => heights[row])
  const bulge = bulgeOf(link)
  return `M 0 ${upper} C ${bulge} ${upper}, ${bulge} ${lower}, 0 ${lower}`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`
}
