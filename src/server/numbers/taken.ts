/** What two sides take at once: the same number, or the same parent of a migration (docs/contract/numbers.md). Pure. */
import type { Sequence } from '../../vocabulary/contract/overlap.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'
import { isNamedForNumbers, numberKey, numberOf } from './number.ts'

type NewFile = Pick<ChangedFile, 'path' | 'previous_path' | 'status' | 'migration'>

/** A number or a parent that a new file takes. */
interface Taken extends Pick<Sequence, 'kind' | 'directory' | 'value'> {
  /** Its place in the index of claims, which is the same for all files that take the same. */
  place: string
  path: string
}

/** Which directories hold numbered files, besides those that are named so, and which files are left out. */
export interface NumberRules {
  isNumbered(directory: string): boolean | undefined
  /** Whether the settings ignore the file, or it is noise. */
  isIgnored(path: string): boolean
}

/** A migration of Django whose patch is unknown, so nobody can say what it builds on. */
const DJANGO = /(?:^|\/)migrations\/\d{4}_\w+\.py$/

/** What the file takes; a file that is neither new nor renamed takes nothing. */
function takenBy({ path, previous_path, status, migration }: NewFile): Taken[] {
  if (status !== 'added' && status !== 'renamed') return []
  const directory = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  if (migration) {
    if (status === 'renamed' || migration.is_merge) return []
    return migration.parents.map((value) => ({
      kind: 'same_parent',
      directory,
      value,
      place: `=${directory}/${value}`,
      path,
    }))
  }
  const number = DJANGO.test(path) ? null : numberOf(path)
  if (number === null) return []
  const before = previous_path === null ? null : numberOf(previous_path)
  const place = `@${numberKey(number)}`
  if (before !== null && `@${numberKey(before)}` === place) return []
  return [{ kind: 'same_number', directory, value: number.value, place, path }]
}

/** The places in the index of claims of what the files take. Without `rules`, of any directory. */
export function takenPlaces(files: readonly NewFile[], rules?: NumberRules): string[] {
  const taken = files.flatMap(takenBy).filter((each) => rules === undefined || isCounted(each, rules))
  return [...new Set(taken.map(({ place }) => place))]
}

function isCounted({ kind, directory, path }: Taken, rules: NumberRules): boolean {
  const isNumbered = kind === 'same_parent' || (rules.isNumbered(directory) ?? isNamedForNumbers(directory))
  return isNumbered && !rules.isIgnored(path)
}

/** What both sides take, under different names, in the order of `yours`. */
export function sharedTaken(
  yours: readonly NewFile[],
  theirs: readonly NewFile[],
  rules: NumberRules,
): Omit<Sequence, 'next'>[] {
  const [mine, its] = [byPlace(yours), byPlace(theirs)]
  return [...mine].flatMap(([place, own]) => {
    const other = its.get(place) ?? []
    const paths = (taken: readonly Taken[]) => new Set(taken.map(({ path }) => path))
    const your = own.find(({ path }) => !paths(other).has(path))
    const their = other.find(({ path }) => !paths(own).has(path))
    if (!your || !their || !isCounted(your, rules)) return []
    const { kind, directory, value } = your
    if (kind === 'same_parent' && areChained(directory, yours, theirs)) return []
    return [{ kind, directory, value, yours: nameOf(your.path), theirs: nameOf(their.path) }]
  })
}

function byPlace(files: readonly NewFile[]): Map<string, Taken[]> {
  const taken = new Map<string, Taken[]>()
  for (const each of files.flatMap(takenBy)) taken.set(each.place, [...(taken.get(each.place) ?? []), each])
  return taken
}

/** Whether one side builds on a new migration of the other, or adds one that joins several heads. */
function areChained(directory: string, yours: readonly NewFile[], theirs: readonly NewFile[]): boolean {
  const inDirectory = (files: readonly NewFile[]) =>
    files.flatMap(({ path, migration }) =>
      migration && path.slice(0, path.lastIndexOf('/')) === directory ? [migration] : [],
    )
  const [mine, its] = [inDirectory(yours), inDirectory(theirs)]
  const buildsOn = (one: typeof mine, other: typeof mine) =>
    one.some(({ parents }) => other.some(({ own }) => parents.includes(own)))
  return [...mine, ...its].some(({ is_merge }) => is_merge) || buildsOn(mine, its) || buildsOn(its, mine)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
