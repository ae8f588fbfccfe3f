/** The keyboard: `/` searches, arrows move, Enter opens what has the focus, `?` lists the keys. */
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

const KEYS: [keys: string[], what: string][] = [
  [['/'], 'search'],
  [['↓', 'j'], 'next'],
  [['↑', 'k'], 'previous'],
  [['Enter'], 'open'],
  [['Esc'], 'close, or leave the search'],
  [['o'], 'overview of all repositories'],
  [['?'], 'list the keys'],
]

/** Elements that the arrows move between. */
const ITEMS = 'main [data-item]'
/** Elements in which keys are text. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select'

/** Handles the keys, and shows their list on request. */
export function Keys() {
  const [isListed, setIsListed] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      const field = (event.target as HTMLElement).closest<HTMLElement>(FIELDS)
      if (field) {
        if (event.key === 'Escape') field.blur()
        // The arrows have no use in a search field.
        if (!(event.key === 'ArrowDown' && field.matches('[type="search"]'))) return
      }
      if (act(event.key, () => setIsListed(true))) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  if (!isListed) return null
  return (
    <Dialog title="Keys" onClose={() => setIsListed(false)}>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <>
            <dt key={what}>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  )
}

/** Does what the key stands for. Returns false if it stands for nothing. */
function act(key: string, list: () => void): boolean {
  switch (key) {
    case '/':
      return focus(document.querySelector<HTMLElement>('input[type="search"]'))
    case '?':
      list()
      return true
    case 'o':
      location.hash = '#/'
      return true
    case 'ArrowDown':
    case 'j':
      return move(1)
    case 'ArrowUp':
    case 'k':
      return move(-1)
    default:
      return false
  }
}

/** Moves the focus to the next or previous item on the page; without a focused item, to the first one in the main part. */
function move(by: 1 | -1): boolean {
  const items = [...document.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => item.checkVisibility())
  const at = items.indexOf(document.activeElement as HTMLElement)
  return focus(at === -1 ? items[0] : items[at + by])
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus()
  return element != null
}
