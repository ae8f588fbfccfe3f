/** One repository: the picture of its live work, the collisions in words, its notables; kept up to date by events. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { listen, Problem, repositoryAt } from './api.ts'
import { boardOf, type Filter, filtered, type LaneBy } from './board.ts'
import { ActivityDetail, NotableDetail } from './detail.tsx'
import { Picture } from './picture.tsx'
import type { Activity, Notable, Overlaps } from './records.ts'
import { Collisions, NotableForm, Notables } from './side.tsx'

interface Loaded {
  activities: Activity[]
  notables: Notable[]
  overlaps: Overlaps
  is_whole: boolean
  as_of_ms: number
}

export type Shown = { kind: 'activity' | 'notable'; id: string } | { kind: 'new-notable' } | null

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
      if (error instanceof Problem) setProblem(error)
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
      {(!loaded.is_whole || !loaded.overlaps.checked_against.complete) && (
        <p class="hint">There is more than is shown here: the newest work is.</p>
      )}
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
            onNew={mayWrite ? () => setShown({ kind: 'new-notable' }) : null}
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
          onClose={() => setShown(null)}
          onChanged={load}
        />
      )}
      {shown?.kind === 'new-notable' && (
        <NotableForm repository={repository} onClose={() => setShown(null)} onChanged={load} />
      )}
    </>
  )
}

function Filters({
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

function Empty({ isFiltered, name }: { isFiltered: boolean; name: string }) {
  if (isFiltered) return <p class="card empty">Nothing that the filters let through.</p>
  return (
    <div class="card empty">
      <p>Nobody has announced work in {name}, and no open pull request is followed.</p>
      <p class="hint">Install the GitHub App to see its pull requests, or announce work:</p>
      <pre>
        <code>deconflict start "Retry payments" --paths "src/checkout/**"</code>
      </pre>
    </div>
  )
}

function Refused({ problem, onRefused }: { problem: Problem; onRefused: () => void }) {
  return (
    <section class="card" role="alert">
      <h1>{problem.status === 403 ? 'You cannot see this repository' : 'This did not work'}</h1>
      <p>{problem.message}</p>
      {problem.status === 401 && (
        <button type="button" onClick={onRefused}>
          Sign in again
        </button>
      )}
    </section>
  )
}
