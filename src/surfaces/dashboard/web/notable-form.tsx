/** The form for a notable, a new one or one that is changed. */
import type { Repository } from './api.ts'
import { Dialog, useChange } from './dialog.tsx'
import type { FullNotable, Notable } from './records.ts'

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

const LINE_END = /\r\n?|\n/

/** `notable`: the one that is changed; undefined for a new one. */
export function NotableForm({
  repository,
  notable,
  onClose,
  onChanged,
}: {
  repository: Repository
  notable?: FullNotable | undefined
  onClose: () => void
  onChanged: () => Promise<void>
}) {
  const { problem, isSending, send } = useChange({ onChanged, onClose })
  const save = async (form: HTMLFormElement) => {
    const { category, ...fields } = fieldsOf(form, notable)
    if (notable) await repository.updateNotable(notable.id, changed(notable, fields))
    else await repository.createNotable({ ...fields, category })
  }
  return (
    <Dialog title={notable ? 'Change the notable' : 'New notable'} onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          void send(() => save(form))
        }}
      >
        <label>
          Title <input name="title" required maxLength={200} defaultValue={notable?.title} />
        </label>
        <label>
          Summary{' '}
          <textarea name="summary" required maxLength={4000} rows={3} defaultValue={notable?.summary} />
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
              {CATEGORIES.map((each) => (
                <option key={each} selected={each === notable?.category}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Paths, one a line{' '}
          <textarea
            name="paths"
            rows={2}
            placeholder="db/migrations/**"
            defaultValue={notable?.scope.paths.join('\n')}
          />
        </label>
        <label>
          Areas, one a line{' '}
          <textarea
            name="areas"
            rows={2}
            placeholder="checkout"
            defaultValue={notable?.scope.areas.join('\n')}
          />
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
          <input
            name="applies_until"
            type="datetime-local"
            defaultValue={localTime(notable?.applies_until)}
          />
        </label>
        <label class="check">
          <input name="blocking" type="checkbox" defaultChecked={notable?.blocking} /> Warn prominently
          (blocks nobody)
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
            {notable ? 'Save' : 'Raise it'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** What is in the form, in the terms of the service. */
function fieldsOf(form: HTMLFormElement, notable: FullNotable | undefined) {
  const given = Object.fromEntries(new FormData(form)) as Record<string, string>
  const until = given.applies_until ?? ''
  const isSameTime = until === localTime(notable?.applies_until)
  return {
    title: given.title,
    summary: given.summary,
    importance: given.importance,
    category: given.category,
    blocking: given.blocking === 'on',
    // A comma may be part of a label, and of a glob.
    scope: {
      areas: linesOf(given.areas, notable?.scope.areas),
      paths: linesOf(given.paths, notable?.scope.paths),
    },
    decision_url: given.decision_url || null,
    applies_until: isSameTime
      ? (notable?.applies_until ?? null)
      : until === ''
        ? null
        : new Date(until).toISOString(),
  }
}

/** The lines of a field; where it says what it said, the list `before`, which may hold what a line loses. */
function linesOf(text = '', before: string[] = []): string[] {
  const lines = text.split(LINE_END)
  if (lines.join('\n') === before.join('\n').split(LINE_END).join('\n')) return before
  return lines.map((line) => line.trim()).filter(Boolean)
}

/** The fields that are not as they were: what somebody else changed meanwhile stays, and an end that has passed is not sent again. */
function changed(notable: FullNotable, fields: object): object {
  const before = notable as unknown as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}

/** An instant as the field for a date and time has it: of this place, to the minute. */
function localTime(instant: string | null | undefined): string {
  if (!instant) return ''
  const at = new Date(instant)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
