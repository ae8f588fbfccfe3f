/** The timeline: bars that begin when the work began and end at now, and links between activities that collide. */
import { memo } from 'preact/compat'
import { useMemo, useState } from 'preact/hooks'
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { HIGHEST_FIRST } from '../vocabulary/severity.ts'
import { AgentIcon, Avatar } from './avatar.tsx'
import type { Row, TimelineLayout } from './timeline-layout.ts'
import { changeView } from './use-address.ts'

/** The height of a row. It must match timeline.css. */
const ROW_PX = 32
/** The width of one column of links, to the right of now, in pixels. */
const LINK_PX = 14

export const Timeline = memo(({ layout }: { layout: TimelineLayout }) => {
  const [lit, setLit] = useState<string | null>(null)
  const near = useMemo(() => (lit === null ? null : neighborsOf(layout, lit)), [layout, lit])
  const gutter = 20 + layout.depths * LINK_PX
  return (
    <div class={near ? 'timeline has-lit' : 'timeline'} style={{ '--gutter': `${gutter}px` }}>
      <div class="axis" aria-hidden="true">
        {layout.ticks.map(({ position, label }) => (
          <span key={label} style={{ left: percent(position) }}>
            {label}
          </span>
        ))}
      </div>
      <div class="rows">
        <div class="ticks" aria-hidden="true">
          {layout.ticks.map(({ position, label }) => (
            <span
              key={label}
              class={position === 1 ? 'tick now' : 'tick'}
              style={{ left: percent(position) }}
            />
          ))}
        </div>
        <ul class="plain">
          {layout.rows.map((row) => (
            <li key={row.activity.id}>
              <RowView row={row} isLit={near?.has(row.activity.id) ?? false} onLit={setLit} />
            </li>
          ))}
        </ul>
        <Links layout={layout} lit={lit} width={gutter} />
      </div>
      <Legend hasOutside={layout.rows.some(({ is_outside }) => is_outside)} />
    </div>
  )
})

/** An activity and the other sides of its collisions. */
function neighborsOf({ links }: TimelineLayout, id: string): Set<string> {
  const all = links.filter(({ collision }) => collision.activity_ids.includes(id))
  return new Set([id, ...all.flatMap(({ collision }) => collision.activity_ids)])
}

/** The button covers the whole row, so that the shortest bar is easy to hit; `extent` has the true length. */
function RowView({ row, isLit, onLit }: { row: Row; isLit: boolean; onLit: (id: string | null) => void }) {
  const { activity, person, start, age, severity, is_cut, is_outside } = row
  const { id, title, agent, status, risk } = activity
  const classes = [
    'bar',
    `status-${status}`,
    severity && `edge-${severity}`,
    is_cut && 'cut',
    is_outside && 'outside',
    isLit && 'lit',
  ]
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(' ')}
      data-item
      title={`${title} · ${person.name}, for ${age}`}
      onClick={() => changeView({ record: id })}
      onMouseEnter={() => onLit(id)}
      onMouseLeave={() => onLit(null)}
      onFocus={() => onLit(id)}
      onBlur={() => onLit(null)}
    >
      <span class="label">
        <Avatar person={person} />
        <span class="title">{title}</span>
        <span class="soft">{pullRequestName(activity.pr_url)}</span>
        <AgentIcon agent={agent} />
      </span>
      <span class="track">
        <span class="extent" style={{ left: percent(start), width: percent(1 - start) }} aria-hidden="true" />
        <span class="age" style={start > 0.5 ? { right: percent(1 - start) } : { left: percent(start) }}>
          {age}
        </span>
      </span>
      <span class="unseen">
        , {person.name}, {status}, risk {risk}
        {severity && `, ${severity} collision with other work`}
        {is_outside && ', outside the filter'}
      </span>
    </button>
  )
}

function Links({ layout, lit, width }: { layout: TimelineLayout; lit: string | null; width: number }) {
  const { links } = layout
  if (links.length === 0) return null
  const height = layout.rows.length * ROW_PX
  return (
    <svg class="links" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {links.map(({ collision, rows, depth }) => {
        const ids = collision.activity_ids
        const isLit = lit !== null && ids.includes(lit)
        return (
          <path
            key={ids.join()}
            class={isLit ? `severity-${collision.severity} lit` : `severity-${collision.severity}`}
            d={linkPath(rows, 10 + depth * LINK_PX)}
          >
            <title>{collision.paths[0]?.example ?? collision.areas.join(', ')}</title>
          </path>
        )
      })}
    </svg>
  )
}

/** A bracket with round corners from the middle of one row to that of the other, and a dot at each end. */
function linkPath([upper, lower]: [number, number], x: number): string {
  const [top, bottom] = [upper, lower].map((row) => row * ROW_PX + ROW_PX / 2) as [number, number]
  const r = Math.min(8, x - 2)
  return `M 0 ${top} H ${x - r} Q ${x} ${top} ${x} ${top + r} V ${bottom - r} Q ${x} ${bottom} ${x - r} ${bottom} H 0`
}

function Legend({ hasOutside }: { hasOutside: boolean }) {
  return (
    <ul class="legend line" aria-label="Legend">
      <li>
        <span class="key extent" /> from its start to now
      </li>
      <li>
        <span class="key extent dashed" /> planned, paused or blocked
      </li>
      {HIGHEST_FIRST.map((severity) => (
        <li key={severity}>
          <span class={`key link-key severity-${severity}`} /> {severity} collision
        </li>
      ))}
      {hasOutside && (
        <li>
          <span class="key extent outside-key" /> outside the filter, collides with work inside it
        </li>
      )}
      <li>
        <AgentIcon agent="an agent" /> with a coding agent
      </li>
    </ul>
  )
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`
}
