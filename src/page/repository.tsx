/** One repository: important notables, the work of the reader, hot spots, all live work, and one record in a dialog. */
import { useMemo, useState } from 'preact/hooks'
import { count } from '../vocabulary/text.ts'
import type { View } from './address.ts'
import type { Repository } from './api.ts'
import { Banner } from './banner.tsx'
import { ActivityDetail, NotableDetail } from './detail.tsx'
import { Farewell } from './farewell.tsx'
import { Filters } from './filters.tsx'
import { HotSpots } from './hot-spots.tsx'
import { Issues } from './issues.tsx'
import { MergeOrderCard } from './merge-order.tsx'
import { NotableForm } from './notable-form.tsx'
import { Notables } from './notables.tsx'
import type { FullNotable } from './records.ts'
import { modelOf, type RepositoryModel } from './repository-model.ts'
import { SignalCard } from './signal.tsx'
import { Empty, Freshness, Incomplete, InvalidSettings, OutOfDate, Refused } from './states.tsx'
import { changeView } from './use-address.ts'
import { useRepository } from './use-repository.ts'
import { WorkList } from './work-list.tsx'
import { SubjectTitle, You } from './you.tsx'

interface Props {
  name: string
  view: View
  /** The login of the reader; null if unknown. */
  login: string | null
  onSignOut: () => void
}

/** The form for a notable: a new one, or a change of `notable`. */
interface OpenForm {
  notable?: FullNotable
}

export function RepositoryView({ name, view, login, onSignOut }: Props) {
  const { repository, records, problem, read_at_ms, refresh } = useRepository(name)
  const [form, setForm] = useState<OpenForm | null>(null)
  const { activities, overlaps, notables, may_write: mayWrite } = records
  const model = useMemo(
    () => activities && modelOf({ activities, overlaps }, view, login),
    [activities, overlaps, view, login],
  )
  if (!model || !activities) {
    if (problem) return <Refused problem={problem} onSignOut={onSignOut} />
    return <p class="loading">Loading {name} …</p>
  }
  const { work, counts, now_ms } = model
  return (
    <>
      <div class="head line">
        <h1>
          <a href={`#/${name.split('/')[0]}`}>{name.split('/')[0]}</a>/{name.split('/')[1]}
        </h1>
        <h2 class="counts">
          {count(counts.activities, 'live activity', 'live activities')},{' '}
          {collisionsText(overlaps !== null, counts, problem !== null)}
        </h2>
        <Freshness isOutdated={problem !== null} />
      </div>
      {problem && <OutOfDate problem={problem} read_at_ms={read_at_ms} onRetry={refresh} />}
      <InvalidSettings errors={records.settings_errors} />
      <Incomplete {...records} />
      {work.activities.size > 0 && <Filters view={view} {...model} />}
      <Banner notables={notables?.items ?? []} now_ms={now_ms} />
      {work.activities.size === 0 ? (
        <Empty name={name} />
      ) : (
        <WorkSections {...{ name, view, model }} isCompared={overlaps !== null} />
      )}
      <Issues work={work} />
      <div class="columns even">
        <MergeOrderCard merge_order={records.merge_order} activities={work.activities} />
        <Notables
          notables={notables?.items ?? null}
          onNew={mayWrite ? () => setForm({}) : null}
          now_ms={now_ms}
        />
      </div>
      <SignalCard repository={repository} />
      {records.may_administer && <Farewell repository={repository} />}
      <Dialogs {...{ repository, model, mayWrite, form, setForm }} record={view.record} onChanged={refresh} />
    </>
  )
}

interface DialogsProps {
  repository: Repository
  /** The id of the record; null if none is open. */
  record: string | null
  model: RepositoryModel
  mayWrite: boolean
  form: OpenForm | null
  setForm: (form: OpenForm | null) => void
  onChanged: () => Promise<void>
}

/** The dialog of one record, or the form for a notable. */
function Dialogs({ repository, record, model, mayWrite, form, setForm, onChanged }: DialogsProps) {
  const close = () => changeView({ record: null })
  if (form) {
    const onClose = () => {
      setForm(null)
      if (form.notable) close()
    }
    return <NotableForm {...{ repository, onClose, onChanged }} notable={form.notable} />
  }
  if (record === null) return null
  const dialog = { id: record, repository, mayWrite, onClose: close, onChanged }
  if (record.startsWith('act_')) {
    const { work, reader } = model
    return <ActivityDetail key={record} {...{ ...dialog, work, reader }} />
  }
  return <NotableDetail key={record} {...dialog} onEdit={(notable) => setForm({ notable })} />
}

interface SectionsProps {
  name: string
  view: View
  model: RepositoryModel
  isCompared: boolean
}

/** The work of the reader beside the hot spots, and all work. */
function WorkSections({ name, view, model, isCompared }: SectionsProps) {
  const { work, reader, subject, folders, shown, now_ms } = model
  return (
    <>
      <div class="columns">
        <section class="card you" aria-labelledby="you-heading">
          <div class="head line">
            <h2 id="you-heading">
              <SubjectTitle subject={subject} />
            </h2>
          </div>
          <You {...{ subject, work, reader, now_ms, isCompared }} />
        </section>
        <section class="card hot-spots" aria-labelledby="hot-heading">
          <div class="head line">
            <h2 id="hot-heading">Hot spots</h2>
            <p class="hint">Where several people work now. A longer bar means more people.</p>
          </div>
          <HotSpots folders={folders} chosen={view.path} reader={reader} />
        </section>
      </div>
      <WorkList {...{ name, work, shown }} />
    </>
  )
}

function collisionsText(
  is_compared: boolean,
  counts: RepositoryModel['counts'],
  has_failed: boolean,
): string {
  if (!is_compared) return has_failed ? 'collisions unknown' : 'comparing …'
  const text = count(counts.collisions, 'collision', 'collisions')
  return counts.is_exact ? text : `at least ${text}`
}
