/** Small controls: links, a button that copies, and a list that shows more on request. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { pullRequestName } from '../vocabulary/names.ts'
import { changeView } from './use-address.ts'

export function RecordLink({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    <button type="button" class="link" data-item onClick={() => changeView({ record: id })}>
      {children}
    </button>
  )
}

/** A link to another site, in a new tab, if the address is an http address: an old record may contain any text. */
export function ExternalLink({
  url,
  text = url.replace(/^https?:\/\//, ''),
}: {
  url: string
  text?: string
}) {
  if (!/^https?:\/\//.test(url)) return <>{text}</>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}

export function PullRequestLink({ url }: { url: string }) {
  return <ExternalLink url={url} text={pullRequestName(url) ?? url} />
}

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
      <button type="button" class="quiet" data-item title={title} onClick={() => void copy()}>
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

/** How many more items each press of the button shows. */
const MORE_MAX = 200

interface LimitedProps<Item> {
  items: readonly Item[]
  max: number
  children: (item: Item) => JSX.Element
}

export function Limited<Item>({ items, max, children }: LimitedProps<Item>) {
  const [shown, setShown] = useState(max)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // The button may be gone: the focus goes on with the first item that it added.
    list.current?.children[shown - MORE_MAX]?.querySelector<HTMLElement>('button, a')?.focus()
  }, [shown])
  return (
    <>
      <ul ref={list}>{items.slice(0, shown).map(children)}</ul>
      {items.length > shown && (
        <button type="button" class="quiet more" data-item onClick={() => setShown(shown + MORE_MAX)}>
          {items.length - shown} more
        </button>
      )}
    </>
  )
}
