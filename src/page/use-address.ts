/** The address as state: reads it, follows back and forward, and changes it. */
import { useEffect, useState } from 'preact/hooks'
import { type Address, formatAddress, readAddress, type View } from './address.ts'

const CHANGED = 'deconflict-address'

/** Goes to an address. `replace`: without an entry in the history, as for each key typed into a search. */
export function goTo(address: Address, { replace = false } = {}): void {
  const hash = formatAddress(address)
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  dispatchEvent(new Event(CHANGED))
}

/** Changes what the reader chose in the repository of the address. */
export function changeView(changes: Partial<View>, options?: { replace?: boolean }): void {
  const address = readAddress(location.hash)
  if (address.kind === 'repository') goTo({ ...address, view: { ...address.view, ...changes } }, options)
}

export function useAddress(): Address {
  const [address, setAddress] = useState(() => readAddress(location.hash))
  useEffect(() => {
    const read = () => setAddress(readAddress(location.hash))
    // A link fires `popstate` and `hashchange`. `goTo` fires neither of them, so it sends an event of its own.
    const events = ['hashchange', 'popstate', CHANGED]
    for (const name of events) addEventListener(name, read)
    return () => {
      for (const name of events) removeEventListener(name, read)
    }
  }, [])
  return address
}
