/** All active notables, above everything else those of high importance, and the form that creates one. */
import { useRef } from 'preact/hooks'
import { isHigh, NOTABLE_CATEGORIES } from '../vocabulary/severity.ts'
import type { Repository } from './api.ts'
import { RecordLink } from './controls.tsx'
import { Dialog, useSubmit } from './dialog.tsx'
import { duration } from './duration.ts'
import type { Notable } from './records.ts'
import { ProblemText } from './states.tsx'

interface Props {
  /** Null until they are loaded. */
  notables: readonly Notable[] | null
  now_ms: number
  /** Null for readers who may not write. */
  onNew: (() => void) | null
}

export function Notables({ notables, now_ms, onNew }: Props) {
  return (
    <section class="card" aria-labelledby="notables-heading">
      <div class="head line">
        <h2 id="notables-heading">Notables</h2>
        {onNew && (
          <button type="button" class="quiet" onClick={onNew}>
            New notable
          </button>
        )}
      </div>
      {notables === null && <p class="hint">Loading …</p>}
      {notables?.length === 0 && (
        <p class="hint">No active notables. A notable announces something to everyone, such as a freeze.</p>
      )}
      <ul class="notables">
        {notables?.map(({ id, title, importance, category, blocking, created_by, expires_at }) => (
          <li key={id}>
            <span class={`pill severity-${importance}`}>{importance}</span>
            <RecordLink id={id}>{title}</RecordLink>
            <small>
              {category}
              {blocking && ', blocking'}
              {created_by && `, by ${created_by}`}, expires in {duration(Date.parse(expires_at) - now_ms)}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SHOWN_MAX = 3

export function Banner({ notables, now_ms }: { notables: readonly Notable[]; now_ms: number }) {
  const high = notables.filter(isHigh)
  if (high.length === 0) return null
  return (
    <section class="banner" aria-label="Important notables">
      <ul>
        {high.slice(0, SHOWN_MAX).map(({ id, title, scope, expires_at, importance, blocking }) => (
          <li key={id} class="line">
            <span class="pill severity-high">{blocking ? 'blocking' : importance}</span>
            <RecordLink id={id}>{title}</RecordLink>
            <span class="soft">
              {[...scope.paths, ...scope.areas].slice(0, 3).join(', ') || 'the whole repository'} · expires in{' '}
              {duration(Date.parse(expires_at) - now_ms)}
            </span>
          </li>
        ))}
      </ul>
      {high.length > SHOWN_MAX && <p class="hint">{high.length - SHOWN_MAX} more among the notables.</p>}
    </section>
  )
}

interface FormProps {
  repository: Repository
  onClose: () => void
  onChanged: () => Promise<void>
}

export function NotableForm({ repository, onClose, onChanged }: FormProps) {
  const { problem, isSending, send } = useSubmit({ onChanged, onClose })
  const sent = useRef({ text: '', key: '' })
  return (
    <Dialog title="New notable" onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          const fields = fieldsOf(event.currentTarget)
          // If an answer was lost, the same content is not made twice.
          const text = JSON.stringify(fields)
          if (text !== sent.current.text)
            sent.current = { text, key: crypto.getRandomValues(new Uint32Array(4)).join() }
          void send(() => repository.createNotable(fields, sent.current.key))
        }}
      >
        <Fields />
        <ProblemText text={problem} />
        <div class="line end">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isSending}>
            Create notable
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Areas and paths have one item per line, because labels and globs may contain commas. */
function Fields() {
  return (
    <>
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
            {NOTABLE_CATEGORIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <label>
        Paths, one per line <textarea name="paths" rows={2} placeholder="db/migrations/**" />
      </label>
      <label>
        Areas, one per line <textarea name="areas" rows={2} placeholder="checkout" />
      </label>
      <label>
        Decision document <input name="decision_url" type="url" placeholder="https://…" />
      </label>
      <label>
        Applies until <input name="applies_until" type="datetime-local" />
      </label>
      <label class="check">
        <input name="blocking" type="checkbox" /> Show as a prominent warning (never blocks)
      </label>
    </>
  )
}

/** The content of the form as the API's fields. */
function fieldsOf(form: HTMLFormElement): object {
  const entered = Object.fromEntries(new FormData(form)) as Record<string, string>
  const { title, summary, importance, category, areas, paths, decision_url, applies_until, blocking } =
    entered
  return {
    ...{ title, summary, importance, category },
    blocking: blocking === 'on',
    scope: { areas: linesOf(areas), paths: linesOf(paths) },
    decision_url: decision_url || null,
    applies_until: applies_until ? new Date(applies_until).toISOString() : null,
  }
}

function linesOf(text = ''): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
