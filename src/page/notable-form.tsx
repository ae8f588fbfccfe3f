/** The form that creates a notable. */
import { NOTABLE_CATEGORIES } from '../vocabulary/severity.ts'
import type { Repository } from './api.ts'
import { Dialog, useSubmit } from './dialog.tsx'
import { ProblemText } from './states.tsx'

interface Props {
  repository: Repository
  onClose: () => void
  onChanged: () => Promise<void>
}

export function NotableForm({ repository, onClose, onChanged }: Props) {
  const { problem, isSending, send } = useSubmit({ onChanged, onClose })
  return (
    <Dialog title="New notable" onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          const fields = fieldsOf(event.currentTarget)
          void send(() => repository.createNotable(fields))
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
