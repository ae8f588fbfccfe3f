/** A modal dialog, and a hook that sends a change from one. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from './api.ts'

interface Props {
  title: string
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => setTimeout(() => restoreFocus(opener))
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby="dialog-heading" onClose={onClose}>
      <div class="head line">
        <h2 id="dialog-heading">{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** Focuses the element that opened the dialog, or the page if it is gone, such as the bar of an archived record or another dialog. */
function restoreFocus(opener: HTMLElement | null): void {
  if (document.activeElement !== document.body) return
  const isThere = opener?.isConnected && opener !== document.body
  const target = isThere ? opener : document.getElementById('main')
  target?.focus({ preventScroll: true })
}

/** Sends a change, and closes the dialog once the page shows it, unless another one is open by then. If it fails, `problem` says why. */
export function useSubmit({ onChanged, onClose }: { onChanged: () => Promise<void>; onClose: () => void }) {
  const isOpen = useRef(true)
  const leave = () => {
    isOpen.current = false
  }
  useEffect(() => leave, [])
  const [problem, setProblem] = useState('')
  const [isSending, setIsSending] = useState(false)
  const send = async (change: () => Promise<unknown>) => {
    setIsSending(true)
    try {
      await change()
      await onChanged()
      if (isOpen.current) onClose()
    } catch (error) {
      setProblem((error as Problem).message)
      setIsSending(false)
    }
  }
  return { problem, setProblem, isSending, send }
}
