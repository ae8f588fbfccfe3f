/** A dialog over the page; the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => setTimeout(() => takeFocusBack(opener))
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby="dialog-heading" onClose={onClose}>
      <div class="head">
        <h2 id="dialog-heading">{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** Where the dialog was opened from; where that is gone, such as a record that was archived, the page as a whole. */
function takeFocusBack(opener: HTMLElement | null): void {
  if (document.activeElement !== document.body) return
  const target = opener?.isConnected ? opener : document.getElementById('main')
  target?.focus({ preventScroll: true })
}
