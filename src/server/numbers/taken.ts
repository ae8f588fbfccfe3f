/** What two sides take at once: the same number, or the same parent of a migration (docs/contract/numbers.md). Pure. */

import { isNamedForNumbers, type Numbered, numberKey, numberOf } from '../../vocabulary/file-number.ts'
import type { Sequence } from '../../vocabulary/verdict.ts'
import { addTo } from '../base/lists.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'
import type { Migration } from '../line-verdicts/migration.ts'
import { counterPlace, directoryOf, type Moves, movedPlaces, movesOf } from './moved.ts'

type NewFile = Pick<ChangedFile, 'path' | 'previous_path' | 'status' | 'migration'>

/** A number or a parent that a new file takes. */
interface Taken extends Pick<Sequence, 'kind' | 'directory' | 'value'> {
  /** Its place in the index of claims, which is the same for all files that take the same. */
  place: string
  path: string
}

/** Which directories hold numbered files, besides those that are named so, and which files are left out. */
export interface NumberRules {
  /** What the settings say; undefined if they say nothing. */
  isNumbered(directory: string): boolean | undefined
  /** Whether pull requests have added numbered files there before, with lower numbers. */
  isLearned(directory: string, value: string): boolean
  /** Whether the settings ignore the file, or it is noise. */
  isIgnored(path: string): boolean
}

/** A migration of Django. If its patch is unknown, nobody can say what it builds on. */
const DJANGO = /(?:^|\/)migrations\/\d{4}_\w+\.py$/

/** What the file takes; a file that is neither new nor renamed takes nothing. */
function takenBy({ path, previous_path, status, migration }: NewFile): Taken[] {
  if (status !== 'added' && status !== 'renamed') return []
  const directory = directoryOf(path)
  if (migration) {
    const isTuple = migration.is_merge && !DJANGO.test(path)
    if (status === 'renamed' || isTuple) return []
    return migration.parents.map((value) => ({
      kind: 'same_parent',
      directory,
      value,
      place: parentPlace(directory, value),
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
  const isTaken = counterOf(files)
  const taken = files.flatMap(takenBy).filter((each) => rules === undefined || isTaken(each, rules))
  return [...new Set(taken.map(({ place }) => place))]
}

/** All places in the index of claims by which other sides find these files, besides their names. */
export function claimedPlaces(files: readonly NewFile[]): string[] {
  return [...takenPlaces(files), ...movedPlaces(files)]
}

/** The places at which these files meet other sides. */
export function probedPlaces(files: readonly NewFile[], rules: NumberRules): string[] {
  return [...takenPlaces(files, rules), ...movedPlaces(files).map(counterPlace)]
}

/** The directories of new numbered files that only `isLearned` can tell. */
export function unnamedDirectories(
  files: readonly NewFile[],
  rules: Omit<NumberRules, 'isLearned'>,
): string[] {
  const isTaken = counterOf(files)
  const taken = files.flatMap(takenBy).filter((each) => rules.isNumbered(each.directory) !== false)
  const unnamed = taken.filter((each) => !isTaken(each, { ...rules, isLearned: () => false }))
  return [...new Set(unnamed.map(({ directory }) => directory))]
}

/** Drizzle lists its migrations in the file `meta/_journal.json`, in the directory below theirs. */
function isJournal(path: string): boolean {
  return `/${path}`.endsWith('/meta/_journal.json')
}

function aboveJournal(path: string): string {
  return directoryOf(directoryOf(path))
}

/** Tells which numbers and parents of the files count. */
function counterOf(files: readonly NewFile[]): Taking['isTaken'] {
  let journals: Set<string> | undefined
  const hasJournal = (directory: string) => {
    journals ??= new Set(
      files
        .map(({ path }) => path)
        .filter(isJournal)
        .map(aboveJournal),
    )
    return journals.has(directory)
  }
  return ({ kind, directory, value, path }, { isNumbered, isLearned, isIgnored }) => {
    const isByName = () => isNamedForNumbers(directory) || hasJournal(directory)
    const isCounted =
      kind === 'same_parent' || (isNumbered(directory) ?? (isByName() || isLearned(directory, value)))
    return isCounted && !isIgnored(path)
  }
}

/** The rules with what was learned: by directory, the number above which files are numbered. */
export function withLearned(rules: NumberRules, learned: ReadonlyMap<string, number>): NumberRules {
  if (learned.size === 0) return rules
  return {
    ...rules,
    isLearned: (directory, value) => Number(value) > (learned.get(directory) ?? Number.POSITIVE_INFINITY),
  }
}

/** What the files of a side take and move. */
export interface Taking {
  taken: ReadonlyMap<string, readonly Taken[]>
  migrations: ReadonlyMap<string, readonly Migration[]>
  moves: Moves
  isTaken: (taken: Taken, rules: NumberRules) => boolean
}

export function takingOf(files: readonly NewFile[]): Taking {
  const taken = new Map<string, Taken[]>()
  for (const each of files.flatMap(takenBy)) addTo(taken, each.place, each)
  return { taken, migrations: migrationsOf(files), moves: movesOf(files), isTaken: counterOf(files) }
}

/** What both sides take, under different names, in the order of `yours`. */
export function sharedTaken(yours: Taking, theirs: Taking, rules: NumberRules): Omit<Sequence, 'next'>[] {
  return [...yours.taken].flatMap(([place, own]) => {
    const other = theirs.taken.get(place) ?? []
    const your = own.find(({ path }) => other.every((each) => each.path !== path))
    const their = other.find(({ path }) => own.every((each) => each.path !== path))
    if (!your || !their || !yours.isTaken(your, rules)) return []
    const { kind, directory, value } = your
    if (kind === 'same_parent' && areChained(directory, yours, theirs)) return []
    return [{ kind, directory, value, yours: nameOf(your.path), theirs: nameOf(their.path) }]
  })
}

/** Whether one side builds on a new migration of the other, such as by one that joins both. */
function areChained(directory: string, yours: Taking, theirs: Taking): boolean {
  const [mine, its] = [yours, theirs].map(({ migrations }) => migrations.get(directory) ?? []) as [
    readonly Migration[],
    readonly Migration[],
  ]
  const buildsOn = (one: readonly Migration[], other: readonly Migration[]) =>
    one.some(({ parents }) => other.some(({ own }) => parents.includes(own)))
  return buildsOn(mine, its) || buildsOn(its, mine)
}

/** By directory. */
function migrationsOf(files: readonly NewFile[]): Map<string, Migration[]> {
  const migrations = new Map<string, Migration[]>()
  for (const { path, migration } of files) if (migration) addTo(migrations, directoryOf(path), migration)
  return migrations
}

interface Seen extends Omit<Sequence, 'next'> {
  /** The name by which a migration would build on the file of the other side; null if it has none. */
  their_own: string | null
}

/** Those of `sequences` that the files of the side still take. `yours` are the names of its files. */
export function stillTaken<Each extends Seen>(files: readonly NewFile[], sequences: readonly Each[]): Each[] {
  const taken = new Set(files.flatMap(takenBy).map(({ place }) => place))
  const migrations = migrationsOf(files)
  const isJoined = ({ directory, their_own }: Seen) =>
    their_own !== null && (migrations.get(directory) ?? []).some(({ parents }) => parents.includes(their_own))
  return sequences.filter((each) => taken.has(placeOf(each)) && !isJoined(each))
}

function placeOf({ kind, directory, value, yours }: Seen): string {
  if (kind === 'same_parent') return parentPlace(directory, value)
  return `@${numberKey(numberOf(directory === '' ? yours : `${directory}/${yours}`) as Numbered)}`
}

function parentPlace(directory: string, value: string): string {
  return `=${directory}/${value}`
}

/** The name by which a migration would build on the new file of the other side; null if it has none. */
export function successorOf(
  { kind, directory }: Sequence,
  name: string,
  files: readonly NewFile[],
): string | null {
  if (kind === 'same_number') return null
  const path = directory === '' ? name : `${directory}/${name}`
  return files.find((file) => file.path === path)?.migration?.own ?? null
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
