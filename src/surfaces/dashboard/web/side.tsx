/** Beside the picture: the collisions in words, the notables, and the form for a new one. */
import { useState } from 'preact/hooks'
import type { Problem, Repository } from './api.ts'
import { duration } from './board.ts'
import { Dialog } from './dialog.tsx'
import type { Activity, Notable, Overlap } from './records.ts'

const SHOWN_MAX = 50

export function Collisions({
  overlaps,
  titles,
  onShow,
}: {
  overlaps: Overlap[]
  titles: Map<string, Activity>
  onShow: (id: string) => void
}) {
  if (overlaps.length === 0) return null
  return (
    <section class="card" aria-labelledby="collisions-heading">
      <h2 id="collisions-heading">Collisions</h2>
      <ul class="collisions">
        {overlaps.slice(0, SHOWN_MAX).map(({ activity_ids, severity, paths, areas }) => (
          <li key={activity_ids.join()}>
            <span class={`pill severity-${severity}`}>{severity}</span>
            {activity_ids.map((id) => (
              <button key={id} type="button" class="link" onClick={() => onShow(id)}>
                {titles.get(id)?.title ?? id} <small>{titles.get(id)?.actor}</small>
              </button>
            ))}
            <code>{paths[0]?.example ?? `area ${areas.join(', ')}`}</code>
          </li>
        ))}
      </ul>
      {overlaps.length > SHOWN_MAX && (
        <p class="hint">And {overlaps.length - SHOWN_MAX} more: use the filters.</p>
      )}
    </section>
  )
}

export function Notables({
  notables,
  onShow,
  onNew,
}: {
  notables: Notable[]
  onShow: (id: string) => void
  onNew: (() => void) | null
}) {
  return (
    <section class="card" aria-labelledby="notables-heading">
      <div class="head">
        <h2 id="notables-heading">Notables</h2>
        {onNew && (
          <button type="button" onClick={onNew}>
            New notable
          </button>
        )}
      </div>
      {notables.length === 0 && <p class="hint">No signal is raised here.</p>}
      <ul class="notables">
        {notables.map(({ id, title, importance, category, blocking, created_by, expires_at }) => (
          <li key={id}>
            <span class={`pill importance-${importance}`}>{importance}</span>
            <button type="button" class="link" onClick={() => onShow(id)}>
              {title}
            </button>
            <small>
              {category}
              {blocking && ', blocking'}
              {created_by && `, by ${created_by}`}, for {duration(Date.parse(expires_at) - Date.now())} more
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Every one of the contract: one too few or too many does not compile. */
const CATEGORIES = Object.keys({
  migration: true,
  'api-contract': true,
  security: true,
  architecture: true,
  deprecation: true,
  dependency: true,
  process: true,
  pattern: true,
  release: true,
  'temporary-workaround': true,
  testing: true,
  warning: true,
} satisfies Record<Notable['category'], true>)

export function NotableForm({
  repository,
  onClose,
  onChanged,
}: {
  repository: Repository
  onClose: () => void
  onChanged: () => void
}) {
  const [problem, setProblem] = useState('')
  const [isSending, setIsSending] = useState(false)
  const send = async (form: HTMLFormElement) => {
    const given = Object.fromEntries(new FormData(form)) as Record<string, string>
    const lines = (text = '') =>
      text
        .split(/[\n,]/)
        .map((line) => line.trim())
        .filter(Boolean)
    setIsSending(true)
    try {
      await repository.createNotable({
        title: given.title,
        summary: given.summary,
        importance: given.importance,
        category: given.category,
        blocking: given.blocking === 'on',
        scope: { paths: lines(given.paths), areas: lines(given.areas) },
        ...(given.decision_url ? { decision_url: given.decision_url } : {}),
        ...(given.applies_until ? { applies_until: new Date(given.applies_until).toISOString() } : {}),
      })
      onChanged()
      onClose()
    } catch (error) {
      setProblem((error as Problem).message)
      setIsSending(false)
    }
  }
  return (
    <Dialog title="New notable" onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          void send(event.currentTarget)
        }}
      >
        <label>
          Title <input name="title" required maxLength={200} />
        </label>
        <label>
          Summary <textarea name="summary" required maxLength={4000} rows={3} />
        </label>
        <div class="line">
          <label>
            Importance{' '}
            <select name="importance">
              {['low', 'medium', 'high', 'critical'].map((each) => (
                <option key={each} selected={each === 'medium'}>
                  {each}
                </option>
              ))}
            </select>
          </label>
          <label>
            Category{' '}
            <select name="category">
              {CATEGORIES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Paths, one a line <textarea name="paths" rows={2} placeholder="db/migrations/**" />
        </label>
        <label>
          Areas <input name="areas" placeholder="checkout, payments" />
        </label>
        <label>
          Decision document <input name="decision_url" type="url" placeholder="https://…" />
        </label>
        <label>
          Applies until <input name="applies_until" type="datetime-local" />
        </label>
        <label class="check">
          <input name="blocking" type="checkbox" /> Warn prominently (blocks nobody)
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="line end">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isSending}>
            Raise it
          </button>
        </div>
      </form>
    </Dialog>
  )
}
