/**
 * The keyboard: `j` and `k` move, `?` lists the keys. They can be switched off, because speech input types keys of one
 * character by accident (WCAG 2.1.4).
 */
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

const KEYS: [key: string, what: string][] = [
  ['j', 'next'],
  ['k', 'previous'],
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
  const [isOn, setIsOn] = useState(wasOn)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      if (!isOn || (event.target as HTMLElement).closest(FIELDS)) return
      if (event.key === '?') setIsListed(true)
      if (event.key === 'j') move(1)
      if (event.key === 'k') move(-1)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOn])
  const switchKeys = (on: boolean) => {
    setIsOn(on)
    try {
      localStorage.setItem(SETTING, on ? 'on' : 'off')
    } catch {}
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

/** Where the browser blocks site data, every access to its storage throws; then the choice ends with the page. */
function wasOn(): boolean {
  try {
    return localStorage.getItem(SETTING) !== 'off'
  } catch {
    return true
  }
}

/** Moves the focus to the next or previous item on the page; without a focused item, to the first one in the main part. */
function move(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => item.checkVisibility())
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? items[0] : items[at + by]
  next?.focus()
}
