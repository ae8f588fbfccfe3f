/** One repository: its overlaps beside the merge order, its notables, or its signal, and one record in a dialog. */
import { useMemo, useState } from 'preact/hooks'
import { LISTED_PATHS_MAX } from '../vocabulary/scope/limits.ts'
import { count } from '../vocabulary/text.ts'
import { formatAddress, SECTIONS, type View } from './address.ts'
import type { Repository } from './api.ts'
import { HotSpots, Issues, MergeOrderCard } from './beside.tsx'
import { ActivityDetail, NotableDetail } from './detail.tsx'
import { Filters, Hidden } from './filters.tsx'
import { Banner, NotableForm, Notables } from './notables.tsx'
import { Overlaps, WorkList } from './overlaps.tsx'
import type { Records } from './records.ts'
import { headline, modelOf, type RepositoryModel } from './repository-model.ts'
import { Farewell, SignalCard } from './signal.tsx'
import { Empty, Importing, Incomplete, OutOfDate, Publishing, Refused } from './states.tsx'
import { changeView } from './use-address.ts'
import { useRepository } from './use-records.ts'

interface Props {
  name: string
  view: View
  /** The login of the reader; null if unknown. */
  login: string | null
  onSignOut: () => void
}

export function RepositoryView({ name, view, login, onSignOut }: Props) {
  const { repository, records, problem, read_at_ms, refresh } = useRepository(name)
  const [isNew, setIsNew] = useState(false)
  const { activities, overlaps, notables, settings } = records
  const mayWrite = settings?.may_write === true
  const model = useMemo(
    () => activities && modelOf({ activities, overlaps }, view, login),
    [activities, overlaps, view, login],
  )
  if (!model) {
    if (problem) return <Refused problem={problem} onSignOut={onSignOut} />
    return <p class="loading">Loading {name} …</p>
  }
  const [owner, repo] = name.split('/')
  return (
    <>
      <div class="head views line">
        <h1>
          <a href={`/#/${owner}`}>{owner}</a>/{repo}
        </h1>
        <Sections name={name} view={view} notables={notables?.items.length ?? 0} />
        {!problem && (
          <p class="freshness" role="status">
            Live
          </p>
        )}
      </div>
      {problem && <OutOfDate problem={problem} read_at_ms={read_at_ms} onRetry={refresh} />}
      {settings?.may_write && <Publishing {...settings} />}
      {settings?.importing && <Importing {...settings.importing} now_ms={model.now_ms} />}
      {view.section === 'overlaps' && (
        <>
          <Banner notables={notables?.items ?? []} now_ms={model.now_ms} />
          <Work {...{ name, view, model, records }} hasFailed={problem !== null} />
        </>
      )}
      {view.section === 'notables' && (
        <Notables
          notables={notables?.items ?? null}
          onNew={mayWrite ? () => setIsNew(true) : null}
          now_ms={model.now_ms}
        />
      )}
      {view.section === 'signal' && <SignalCard repository={repository} />}
      {view.section === 'signal' && settings?.may_administer && (
        <Farewell repository={repository} onChanged={refresh} />
      )}
      {!settings?.importing && <Incomplete {...records} />}
      {isNew && <NotableForm repository={repository} onClose={() => setIsNew(false)} onChanged={refresh} />}
      <Details {...{ repository, model, mayWrite }} record={view.record} onChanged={refresh} />
    </>
  )
}

function Sections({ name, view, notables }: { name: string; view: View; notables: number }) {
  return (
    <nav class="sections" aria-label="Views">
      {SECTIONS.map((section) => (
        <a
          key={section}
          href={`/${formatAddress({ kind: 'repository', name, view: { ...view, section, record: null } })}`}
          aria-current={section === view.section ? 'page' : undefined}
        >
          {section} {section === 'notables' && notables > 0 && <small>{notables}</small>}
        </a>
      ))}
    </nav>
  )
}

interface WorkProps {
  name: string
  view: View
  model: RepositoryModel
  records: Records
  hasFailed: boolean
}

/** The overlaps and all work; beside them in which order to merge, who is on one issue, and where most people are. */
function Work({ name, view, model, records, hasFailed }: WorkProps) {
  const { overlaps, merge_order } = records
  const { work, seen, folders, shown, now_ms } = model
  const is_all = view.only === null && shown.length === work.activities.size
  if (work.activities.size === 0) return <Empty name={name} settings={records.settings} />
  return (
    <>
      <div>
        <h2 class="headline">
          {overlaps !== null
            ? headline(model.counts, { ...model, is_all })
            : hasFailed
              ? 'The overlaps are not known.'
              : 'Comparing …'}
        </h2>
        <p class="hint">
          {shown.length < work.activities.size && `${shown.length} of `}
          {count(work.activities.size, 'live activity', 'live activities')}. <Hidden {...model} />
          {model.unsearched > 0 &&
            ` ${count(model.unsearched, 'activity has', 'activities have')} more paths than the ${LISTED_PATHS_MAX} that are searched.`}
        </p>
        {model.is_gone && (
          <p class="hint">
            Pull request #{view.pull_request} has no live work here: it is merged, closed or not tracked.
          </p>
        )}
      </div>
      <Filters view={view} model={model} />
      <div class="columns">
        <div class="main">
          <Overlaps model={model} />
          <WorkList {...{ work, shown, now_ms }} />
        </div>
        <aside class="beside" aria-label="Merge order, issues and folders">
          <MergeOrderCard merge_order={merge_order} work={seen} />
          <Issues work={seen} name={name} />
          <HotSpots folders={folders} chosen={view.path} />
        </aside>
      </div>
    </>
  )
}

interface DetailsProps {
  repository: Repository
  /** The id of the record; null if none is open. */
  record: string | null
  model: RepositoryModel
  mayWrite: boolean
  onChanged: () => Promise<void>
}

/** The dialog of one record. */
function Details({ record, model, ...given }: DetailsProps) {
  if (record === null) return null
  const dialog = { ...given, id: record, onClose: () => changeView({ record: null }) }
  if (record.startsWith('act_')) return <ActivityDetail key={record} {...dialog} model={model} />
  return <NotableDetail key={record} {...dialog} />
}
