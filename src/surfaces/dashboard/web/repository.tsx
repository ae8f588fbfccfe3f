/** One repository: the picture of its live work, the collisions in words, its notables; kept up to date by events. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { listen, type Problem, repositoryAt } from './api.ts'
import { boardOf, type Filter, filtered, type LaneBy } from './board.ts'
import { ActivityDetail, NotableDetail } from './detail.tsx'
import { Filters } from './filters.tsx'
import { NotableForm } from './notable-form.tsx'
import { Picture } from './picture.tsx'
import type { Activity, FullNotable, Notable, Overlaps } from './records.ts'
import { Collisions, Notables } from './side.tsx'
import { Empty, LeftOut, Refused } from './states.tsx'

export interface Loaded {
  activities: Activity[]
  notables: Notable[]
  overlaps: Overlaps
  is_whole: boolean
  as_of_ms: number
}

export type Shown =
  | { kind: 'activity' | 'notable'; id: string }
  | { kind: 'notable-form'; notable?: FullNotable }
  | null

/** Many changes at once are one reload. */
const SETTLE_MS = 300
/** What a lost event would have told. */
const RELOAD_MS = 60_000

export function RepositoryView({ name, onRefused }: { name: string; onRefused: () => void }) {
  const repository = useMemo(() => repositoryAt(name), [name])
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [connection, setConnection] = useState<'connecting' | 'live' | 'lost'>('connecting')
  const [mayWrite, setMayWrite] = useState(false)
  const [laneBy, setLaneBy] = useState<LaneBy>('area')
  const [filter, setFilter] = useState<Filter>({ text: '', risk: '', only_collisions: false })
  const [shown, setShown] = useState<Shown>(null)
  const loading = useRef<AbortController | null>(null)

  const load = useCallback(async () => {
    loading.current?.abort()
    const controller = new AbortController()
    loading.current = controller
    const { signal } = controller
    try {
      const [activities, notables, overlaps] = await Promise.all([
        repository.activities(signal),
        repository.notables(signal),
        repository.overlaps(signal),
      ])
      setProblem(null)
      setLoaded({
        activities: activities.items.filter(({ status }) => status !== 'merged' && status !== 'abandoned'),
        notables: notables.items,
        overlaps,
        is_whole: activities.is_whole && notables.is_whole,
        as_of_ms: Date.parse(overlaps.checked_against.as_of),
      })
    } catch (error) {
      if (!signal.aborted) setProblem(error as Problem)
    }
  }, [repository])

  useEffect(() => {
    const controller = new AbortController()
    let settling: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      clearTimeout(settling)
      settling = setTimeout(load, SETTLE_MS)
    }
    void load()
    void listen(
      name,
      {
        hello: (may_write) => {
          setMayWrite(may_write)
          setConnection('live')
          soon()
        },
        changed: soon,
        lost: () => setConnection('lost'),
      },
      controller.signal,
    )
    const reloading = setInterval(load, RELOAD_MS)
    return () => {
      controller.abort()
      loading.current?.abort()
      clearTimeout(settling)
      clearInterval(reloading)
    }
  }, [name, load])

  const board = useMemo(() => {
    if (!loaded) return null
    const some = filtered(loaded.activities, loaded.overlaps.items, filter)
    return boardOf(some, loaded.overlaps.items, { now_ms: loaded.as_of_ms, lane_by: laneBy })
  }, [loaded, filter, laneBy])

  if (problem && !loaded) return <Refused problem={problem} onRefused={onRefused} />
  if (!loaded || !board) return <p class="loading">Loading {name} …</p>
  const collisions = board.links.map(({ overlap }) => overlap)
  const titles = new Map(loaded.activities.map((each) => [each.id, each]))
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
        <p class={`connection ${connection}`} role="status">
          {connection === 'live'
            ? 'Live'
            : connection === 'lost'
              ? 'Connection lost, trying again'
              : 'Connecting'}
        </p>
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem.message} What is shown is of {new Date(loaded.as_of_ms).toLocaleTimeString()}.
        </p>
      )}
      <LeftOut {...loaded} />
      <div class="columns">
        <section class="work" aria-labelledby="work-heading">
          <div class="bar-of-filters">
            <h2 id="work-heading">
              {board.rows} live {board.rows === 1 ? 'activity' : 'activities'}, {collisions.length}{' '}
              {collisions.length === 1 ? 'collision' : 'collisions'}
            </h2>
            <Filters {...{ filter, setFilter, laneBy, setLaneBy }} />
          </div>
          {board.rows === 0 ? (
            <Empty isFiltered={loaded.activities.length > 0} name={name} />
          ) : (
            <Picture board={board} onShow={(id) => setShown({ kind: 'activity', id })} />
          )}
        </section>
        <aside>
          <Collisions
            overlaps={collisions}
            titles={titles}
            onShow={(id) => setShown({ kind: 'activity', id })}
          />
          <Notables
            notables={loaded.notables}
            onShow={(id) => setShown({ kind: 'notable', id })}
            onNew={mayWrite ? () => setShown({ kind: 'notable-form' }) : null}
          />
        </aside>
      </div>
      {shown?.kind === 'activity' && (
        <ActivityDetail
          key={shown.id}
          {...{ repository, mayWrite, titles }}
          id={shown.id}
          overlaps={loaded.overlaps.items}
          onShow={(id) => setShown({ kind: 'activity', id })}
          onClose={() => setShown(null)}
          onChanged={load}
        />
      )}
      {shown?.kind === 'notable' && (
        <NotableDetail
          key={shown.id}
          {...{ repository, mayWrite }}
          id={shown.id}
          onEdit={(notable) => setShown({ kind: 'notable-form', notable })}
          onClose={() => setShown(null)}
          onChanged={load}
        />
      )}
      {shown?.kind === 'notable-form' && (
        <NotableForm
          {...{ repository }}
          notable={shown.notable}
          onClose={() => setShown(null)}
          onChanged={load}
        />
      )}
    </>
  )
}
