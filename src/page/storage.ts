/** What the browser keeps for the page. Where it blocks site data, every access throws; then memory keeps it, until the page is loaded again. */

interface Kept {
  read(key: string): string | null
  write(key: string, value: string): void
  remove(key: string): void
}

/** Kept in this tab; the browser deletes it with the tab. */
export const tabStorage = keptIn(() => sessionStorage)
/** Kept in this browser. */
export const browserStorage = keptIn(() => localStorage)

/** `area` is called for each access, because reading the property `sessionStorage` itself throws. */
function keptIn(area: () => Storage): Kept {
  const memory = new Map<string, string>()
  const attempt = <Result>(access: () => Result, otherwise: Result): Result => {
    try {
      return access()
    } catch {
      return otherwise
    }
  }
  return {
    read: (key) => memory.get(key) ?? attempt(() => area().getItem(key), null),
    write: (key, value) => {
      const isStored = attempt(() => {
        area().setItem(key, value)
        return true
      }, false)
      if (isStored) memory.delete(key)
      else memory.set(key, value)
    },
    remove: (key) => {
      memory.delete(key)
      attempt(() => area().removeItem(key), undefined)
    },
  }
}

const KEY = 'deconflict-recent'
const MAX = 8

export function recentNames(): string[] {
  return (browserStorage.read(KEY) ?? '').split(' ').filter(Boolean)
}

export function addRecent(name: string): void {
  const all = [name, ...recentNames().filter((each) => each !== name)].slice(0, MAX)
  browserStorage.write(KEY, all.join(' '))
}
