/** A list that shows its first items, and more on request. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** How many more items the button shows. */
const MORE_MAX = 200

interface LimitedProps<Item> {
  items: readonly Item[]
  max: number
  children: (item: Item) => JSX.Element
}

export function Limited<Item>({ items, max, children }: LimitedProps<Item>) {
  const [isOpen, setIsOpen] = useState(false)
  const shown = isOpen ? items.slice(0, max + MORE_MAX) : items.slice(0, max)
  return (
    <>
      <ul class="plain">{shown.map(children)}</ul>
      {items.length > shown.length && !isOpen && (
        <button type="button" class="quiet more" data-item onClick={() => setIsOpen(true)}>
          {items.length - shown.length} more
        </button>
      )}
      {items.length > shown.length && isOpen && (
        <p class="hint">{items.length - shown.length} more: search or choose a person to see them.</p>
      )}
    </>
  )
}
