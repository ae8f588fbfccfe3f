/** The form that creates a notable or edits one. */
import { NOTABLE_CATEGORIES } from '../vocabulary/severity.ts'
import type { Repository } from './api.ts'
import { Dialog, useSubmit } from './dialog.tsx'
import type { FullNotable } from './records.ts'
import { ProblemText } from './states.tsx'

const LINE_END = /\r\n?|\n/

interface Props {
  repository: Repository
  /** The one to edit; undefined to create one. */
  notable: FullNotable | undefined
  onClose: () => void
  onChanged: () => Promise<void>
}

export function NotableForm({ repository, notable, onClose, onChanged }: Props) {
  const { problem, isSending, send } = useSubmit({ onChanged, onClose })
  const save = async (form: HTMLFormElement) => {
    const { category, ...fields } = fieldsOf(form, notable)
    if (notable) await repository.updateNotable(notable.id, changedFields(notable, fields))
    else await repository.createNotable({ ...fields, category })
  }
  return (
    <Dialog title={notable ? 'Edit notable' : 'New notable'} onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          void send(() => save(form))
        }}
      >
        <Fields notable={notable} />
        <ProblemText text={problem} />
        <div class="line end">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isSending}>
            {notable ? 'Save' : 'Create notable'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** One item per line, because labels and globs may contain commas. */
function linesField(name: 'areas' | 'paths', notable: FullNotable | undefined) {
  return { name, rows: 2, defaultValue: notable?.scope[name].join('\n') }
}

/** The fields, with the values of the notable to edit. */
function Fields({ notable }: { notable: FullNotable | undefined }) {
  return (
    <>
      <label>
        Title <input name="title" required maxLength={200} defaultValue={notable?.title} />
      </label>
      <label>
        Summary <textarea name="summary" required maxLength={4000} rows={3} defaultValue={notable?.summary} />
      </label>
      <div class="line">
        <label>
          Importance{' '}
          <select name="importance">
            {['low', 'medium', 'high', 'critical'].map((each) => (
              <option key={each} selected={each === (notable?.importance ?? 'medium')}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          Category{' '}
          <select name="category" disabled={notable !== undefined}>
            {NOTABLE_CATEGORIES.map((each) => (
              <option key={each} selected={each === notable?.category}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label>
        Paths, one per line <textarea {...linesField('paths', notable)} placeholder="db/migrations/**" />
      </label>
      <label>
        Areas, one per line <textarea {...linesField('areas', notable)} placeholder="checkout" />
      </label>
      <label>
        Decision document{' '}
        <input
          name="decision_url"
          type="url"
          placeholder="https://…"
          defaultValue={notable?.decision_url ?? ''}
        />
      </label>
      <label>
        Applies until{' '}
        <input name="applies_until" type="datetime-local" defaultValue={localTime(notable?.applies_until)} />
      </label>
      <label class="check">
        <input name="blocking" type="checkbox" defaultChecked={notable?.blocking} /> Show as a prominent
        warning (never blocks)
      </label>
    </>
  )
}

/** The content of the form as the API's fields. */
function fieldsOf(form: HTMLFormElement, notable: FullNotable | undefined) {
  const entered = Object.fromEntries(new FormData(form)) as Record<string, string>
  const until = entered.applies_until ?? ''
  const isSameTime = until === localTime(notable?.applies_until)
  return {
    title: entered.title,
    summary: entered.summary,
    importance: entered.importance,
    category: entered.category,
    blocking: entered.blocking === 'on',
    scope: {
      areas: linesOf(entered.areas, notable?.scope.areas),
      paths: linesOf(entered.paths, notable?.scope.paths),
    },
    decision_url: entered.decision_url || null,
    applies_until: isSameTime
      ? (notable?.applies_until ?? null)
      : until === ''
        ? null
        : new Date(until).toISOString(),
  }
}

/** The lines of a field. If the user did not edit the field, returns `before`, because a field loses spaces and line breaks in values. */
function linesOf(text = '', before: string[] = []): string[] {
  const lines = text.split(LINE_END)
  if (lines.join('\n') === before.join('\n').split(LINE_END).join('\n')) return before
  return lines.map((line) => line.trim()).filter(Boolean)
}

/** The fields that the user changed. Others are not sent: they may have changed on the server, and a past `applies_until` would be rejected. */
function changedFields(notable: FullNotable, fields: object): object {
  const before = notable as unknown as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}

/** An instant as a `datetime-local` field shows it: local time, to the minute. */
function localTime(instant: string | null | undefined): string {
  if (!instant) return ''
  const at = new Date(instant)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
