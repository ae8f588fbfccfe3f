/** A button that opens the details of a record. */
import type { ComponentChildren } from 'preact'
import { changeView } from './use-address.ts'

export function RecordLink({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    <button type="button" class="link" data-item onClick={() => changeView({ record: id })}>
      {children}
    </button>
  )
}
