/** A button that copies a text. */
import { useState } from 'preact/hooks'

const COPIED_MS = 2000

/** Says whether it worked: a page that is not served over https may not write to the clipboard. */
export function CopyButton({ text, what, title }: { text: () => string; what: string; title?: string }) {
  const [state, setState] = useState('')
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(text()).then(
      () => true,
      () => false,
    )
    if (!isCopied) prompt('The browser does not let this page copy. Copy it from here:', text())
    setState(isCopied ? 'Copied' : '')
    setTimeout(() => setState(''), COPIED_MS)
  }
  return (
    <>
      <button type="button" class="quiet copy" data-item title={title} onClick={() => void copy()}>
        {state || (
          <>
            Copy<span class="wide"> {what}</span>
          </>
        )}
      </button>
      <span class="unseen" role="status">
        {state}
      </span>
    </>
  )
}
