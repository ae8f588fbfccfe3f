/**
 * The keyboard: `/` searches, `j` and `k` move, Enter opens what has the focus, `?` lists the keys. Keys of one character can
 * be switched off, because speech input types them by accident (WCAG 2.1.4). The arrows scroll, as everywhere.
 */
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { browserStorage } from './storage.ts'

const KEYS: [key: string, what: string][] = [
  ['/', 'search'],
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['↓', 'leave the search for the first result'],
  ['Esc', 'close, or leave the search'],
  ['o', 'overview of all repositories'],
  ['?', 'list the keys'],
]

/** `off` while keys of one character are switched off. */
const SETTING = 'deconflict-character-keys'

/** Elements that `j` and `k` move between. */
const ITEMS = 'main [data-item]'
/** Elements in which keys are text. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select'

/** A button that lists the keys, which also handles them. */
export function Keys() {
  const [isListed, setIsListed] = useState(false)
  const [isOn, setIsOn] = useState(browserStorage.read(SETTING) !== 'off')
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      const field = (event.target as HTMLElement).closest<HTMLElement>(FIELDS)
      const isDone = field ? actInField(event.key, field) : isOn && act(event.key, () => setIsListed(true))
      if (isDone) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOn])
  const switchKeys = (on: boolean) => {
    browserStorage.write(SETTING, on ? 'on' : 'off')
    setIsOn(on)
  }
  return (
    <>
      <button type="button" class="quiet" onClick={() => setIsListed(true)}>
        Keys
      </button>
      {isListed && (
        <Dialog title="Keys" onClose={() => setIsListed(false)}>
          <dl class="keys">
            {KEYS.map(([key, what]) => (
              <>
                <dt key={what}>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </>
            ))}
          </dl>
          <label class="check">
            <input
              type="checkbox"
              checked={isOn}
              onChange={(event) => switchKeys(event.currentTarget.checked)}
            />{' '}
            Use keys of one character
          </label>
        </Dialog>
      )}
    </>
  )
}

/** The arrow down has no use in a search field. Returns false if the field handles the key. */
function actInField(key: string, field: HTMLElement): boolean {
  if (key === 'Escape') field.blur()
  return key === 'ArrowDown' && field.matches('[type="search"]') && move(1)
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
    case 'j':
      return move(1)
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
