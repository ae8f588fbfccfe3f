/** One repository: the timeline of its live work, its collisions in words, its notables, and one record in a dialog. */
import { useCallback, useMemo, useState } from 'preact/hooks'
import { boardOf, type LaneBy } from './board.ts'
import { ActivityDetail, NotableDetail } from './detail.tsx'
import { Filters } from './filters.tsx'
import { MergeOrderCard } from './merge-order.tsx'
import { NotableForm } from './notable-form.tsx'
import type { FullNotable, Overlaps } from './records.ts'
import { NO_FILTER, select } from './selection.ts'
import { Collisions, Notables } from './side.tsx'
import { SignalCard } from './signal.tsx'
import { Empty, Freshness, Incomplete, OutOfDate, Refused } from './states.tsx'
import { Timeline } from './timeline.tsx'
import { useRepository } from './use-repository.ts'

/** What the dialog shows. */
type Shown =
  | { kind: 'activity' | 'notable'; id: string }
  | { kind: 'notable-form'; notable?: FullNotable }
  | null

const NO_OVERLAPS: Overlaps['items'] = []

export function RepositoryView({ name, onSignOut }: { name: string; onSignOut: () => void }) {
  const { repository, records, failure, connection, mayWrite, refresh } = useRepository(name)
  const [laneBy, setLaneBy] = useState<LaneBy>('area')
  const [filter, setFilter] = useState(NO_FILTER)
  const [shown, setShown] = useState<Shown>(null)
  const showActivity = useCallback((id: string) => setShown({ kind: 'activity', id }), [])
  const close = () => setShown(null)

  const overlaps = records.overlaps?.items ?? NO_OVERLAPS
  const view = useMemo(() => {
    if (!records.activities) return null
    const { items, as_of_ms } = records.activities
    const selection = select(items, overlaps, filter)
    return {
      selection,
      board: boardOf(selection, { now_ms: as_of_ms, lane_by: laneBy }),
      activities: new Map(items.map((each) => [each.id, each])),
    }
  }, [records.activities, overlaps, filter, laneBy])

  if (!view) {
    if (failure) return <Refused problem={failure.problem} onSignOut={onSignOut} />
    return <p class="loading">Loading {name} …</p>
  }
  const { selection, board, activities } = view
  const matching = selection.activities.length - selection.outside.size
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
        <Freshness connection={connection} isOutdated={failure !== null} />
      </div>
      {failure && <OutOfDate failure={failure} onRetry={refresh} />}
      <Incomplete {...records} />
      <div class="columns">
        <section class="work" aria-labelledby="work-heading">
          <div class="bar-of-filters">
            <h2 id="work-heading">
              {counted(matching, 'live activity', 'live activities')},{' '}
              {collisionsText(records.overlaps, selection.overlaps.length, failure !== null)}
            </h2>
            <Filters {...{ filter, setFilter, laneBy, setLaneBy }} />
          </div>
          {selection.outside.size > 0 && (
            <p class="hint">
              Dashed and grey: outside the filter, shown because it collides with work inside it.
            </p>
          )}
          {board.row_count === 0 ? (
            <Empty isFiltered={activities.size > 0} name={name} />
          ) : (
            <Timeline board={board} onShow={showActivity} />
          )}
        </section>
        <aside>
          <Collisions
            overlaps={selection.overlaps}
            outside={selection.outside}
            activities={activities}
            onShow={showActivity}
          />
          <MergeOrderCard merge_order={records.merge_order} activities={activities} onShow={showActivity} />
          <Notables
            notables={records.notables?.items ?? null}
            onShow={(id) => setShown({ kind: 'notable', id })}
            onNew={mayWrite ? () => setShown({ kind: 'notable-form' }) : null}
          />
        </aside>
      </div>
      <SignalCard repository={repository} />
      {shown?.kind === 'activity' && (
        <ActivityDetail
          key={shown.id}
          {...{ repository, mayWrite, activities, overlaps }}
          id={shown.id}
          onShow={showActivity}
          onClose={close}
          onChanged={refresh}
        />
      )}
      {shown?.kind === 'notable' && (
        <NotableDetail
          key={shown.id}
          {...{ repository, mayWrite }}
          id={shown.id}
          onEdit={(notable) => setShown({ kind: 'notable-form', notable })}
          onClose={close}
          onChanged={refresh}
        />
      )}
      {shown?.kind === 'notable-form' && (
        <NotableForm repository={repository} notable={shown.notable} onClose={close} onChanged={refresh} />
      )}
    </>
  )
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function collisionsText(overlaps: Overlaps | null, shown: number, has_failed: boolean): string {
  if (!overlaps) return has_failed ? 'collisions unknown' : 'comparing …'
  if (!overlaps.checked_against.complete) return `at least ${counted(shown, 'collision', 'collisions')}`
  return counted(shown, 'collision', 'collisions')
}
