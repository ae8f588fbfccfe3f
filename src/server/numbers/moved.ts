/** Directories whose files one side moves while the other adds a file to them (docs/contract/numbers.md#moved-directories). Pure. */
import type { Moved } from '../../vocabulary/verdict.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'

type File = Pick<ChangedFile, 'path' | 'previous_path' | 'status'>

/** The number of moved files that show that a directory moves. */
const FILES_MIN = 2

/** Directories that the files leave: at least two are renamed into one other directory, and no change stays. By old name. */
function emptied(files: readonly File[]): Map<string, string> {
  if (!files.some(({ status }) => status === 'renamed')) return new Map()
  const targets = new Map<string, Map<string, number>>()
  const staying = new Set(
    files.filter(({ status }) => status !== 'removed').map(({ path }) => directoryOf(path)),
  )
  for (const { path, previous_path, status } of files) {
    if (status !== 'renamed' || previous_path === null) continue
    const [from, to] = [directoryOf(previous_path), directoryOf(path)]
    if (from === to || staying.has(from)) continue
    const counts = targets.get(from) ?? new Map<string, number>()
    targets.set(from, counts.set(to, (counts.get(to) ?? 0) + 1))
  }
  return new Map(
    [...targets].flatMap(([from, counts]) => {
      const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
      return most && most[1] >= FILES_MIN ? [[from, most[0]] as const] : []
    }),
  )
}

/** By which directories two sides are compared. */
export interface Moves {
  /** See `emptied`. */
  emptied: ReadonlyMap<string, string>
  /** Directories to which files are added. */
  added: ReadonlySet<string>
}

export function movesOf(files: readonly File[]): Moves {
  const added = files.filter(({ status }) => status === 'added').map(({ path }) => directoryOf(path))
  return { emptied: emptied(files), added: new Set(added) }
}

/** The places in the index of claims: `>` before a directory that moves, `+` before one that gets a file. */
export function movedPlaces(files: readonly File[]): string[] {
  const { emptied, added } = movesOf(files)
  return [...[...emptied.keys()].map((each) => `>${each}`), ...[...added].map((each) => `+${each}`)]
}

/** The place that the other side has, if both have a directory in common. */
export function counterPlace(place: string): string {
  if (place.startsWith('>')) return `+${place.slice(1)}`
  return place.startsWith('+') ? `>${place.slice(1)}` : place
}

/** The directory that one side moves and the other adds a file to; null if there is none. */
export function sharedMove(yours: Moves, theirs: Moves): Moved | null {
  for (const [{ emptied }, { added }] of [
    [yours, theirs],
    [theirs, yours],
  ] as const)
    for (const [from, to] of emptied) if (added.has(from)) return { from, to }
  return null
}

export function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
