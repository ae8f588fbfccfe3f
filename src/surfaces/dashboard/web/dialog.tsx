/** A dialog over the page; the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from './api.ts'

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

/** Sends a change from a dialog, which closes when it is done and the page shows it; else `problem` says why not. */
export function useChange({ onChanged, onClose }: { onChanged: () => Promise<void>; onClose: () => void }) {
  const [problem, setProblem] = useState('')
  const [isSending, setIsSending] = useState(false)
  const send = async (change: () => Promise<unknown>) => {
    setIsSending(true)
    try {
      await change()
      await onChanged()
      onClose()
    } catch (error) {
      setProblem((error as Problem).message)
      setIsSending(false)
    }
  }
  return { problem, setProblem, isSending, send }
}
