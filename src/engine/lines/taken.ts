/** What two sides take at once: the same number, or the same parent of a migration (docs/contract/numbers.md). Pure. */

import {
  directoryOf,
  isNamedForNumbers,
  type Numbered,
  nameOf,
  numberKey,
  numberOf,
  pathIn,
} from '../../vocabulary/file-number.ts'
import { takenFinding } from '../../vocabulary/finding.ts'
import type { FindingOf, TakenFinding } from '../../vocabulary/finding-kinds.ts'
import { addTo } from '../../vocabulary/lists.ts'
import type { ChangedFile } from './change.ts'
import type { Migration } from './migration.ts'
import { isNamed } from './noise.ts'

type NewFile = Pick<ChangedFile, 'path' | 'previous_path' | 'status' | 'migration'>

/** A number or a parent that a new file takes. */
interface Taken {
  kind: TakenFinding['kind']
  directory: string
  /** The number, or the name of the parent. */
  value: string
  /** Its place in a live set, which is the same for all files that take the same. */
  place: string
  path: string
}

/** Which directories hold numbered files, besides those that are named so, and which files are left out. */
export interface NumberRules {
  /** What the settings say; undefined if they say nothing. */
  isNumbered(directory: string): boolean | undefined
  /** Whether the settings ignore the file, or it is noise. */
  isIgnored(path: string): boolean
  /** Whether the file is a manifest, and not ignored. */
  isManifest(path: string): boolean
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
      kind: 'parent',
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
  return [{ kind: 'number', directory, value: number.value, place, path }]
}

/** The places in a live set of what the files take. Without `rules`, of any directory. */
export function takenPlaces(files: readonly NewFile[], rules?: NumberRules): string[] {
  const journaled = journaledIn(rules ? files : [])
  const taken = files.flatMap(takenBy).filter((each) => !rules || isCounted(each, journaled, rules))
  return [...new Set(taken.map(({ place }) => place))]
}

/** The places of the manifests whose lines are known. Sides that change one in the same way share its place. */
export function manifestPlaces(
  files: readonly Pick<ChangedFile, 'path' | 'manifest'>[],
  rules?: Pick<NumberRules, 'isManifest'>,
): string[] {
  const isManifest = rules?.isManifest ?? ((path) => isNamed(path, 'manifest', { is_file: true }))
  return files.flatMap(({ path, manifest }) =>
    manifest !== undefined && isManifest(path) ? [`=${manifest} ${path}`] : [],
  )
}

/** Where Drizzle lists the migrations of a directory. */
export const JOURNAL = 'meta/_journal.json'

/** The directories whose migrations Drizzle lists. */
function journaledIn(files: readonly NewFile[]): Set<string> {
  const journals = files.filter(({ path }) => `/${path}`.endsWith(`/${JOURNAL}`))
  return new Set(journals.map(({ path }) => directoryOf(directoryOf(path))))
}

/** Whether a number or a parent counts. `journaled`: the directories of `journaledIn`. */
function isCounted(
  { kind, directory, path }: Taken,
  journaled: ReadonlySet<string>,
  { isNumbered, isIgnored }: NumberRules,
): boolean {
  const isByName = () => isNamedForNumbers(directory) || journaled.has(directory)
  return (kind === 'parent' || (isNumbered(directory) ?? isByName())) && !isIgnored(path)
}

/** What the files of a side take. */
export interface Taking {
  taken: ReadonlyMap<string, readonly Taken[]>
  migrations: ReadonlyMap<string, readonly Migration[]>
  journaled: ReadonlySet<string>
}

export function takingOf(files: readonly NewFile[]): Taking {
  const taken = new Map<string, Taken[]>()
  for (const each of files.flatMap(takenBy)) addTo(taken, each.place, each)
  return { taken, migrations: migrationsOf(files), journaled: journaledIn(files) }
}

/** The most numbers, and the most parents, that two sides are said to share. */
const SHARED_MAX = 10

/** What both sides take of a kind, under different names, in the order of `yours`. Which numbers are free is not looked up. */
export function sharedTaken<Kind extends Taken['kind']>(
  kind: Kind,
  sides: Record<'yours' | 'theirs', { taking: Taking }> & { numbers: NumberRules },
): FindingOf<Kind>[] {
  const [yours, theirs] = [sides.yours.taking, sides.theirs.taking]
  const shared: TakenFinding[] = []
  const journaled = new Set([...yours.journaled, ...theirs.journaled])
  /** The first of `some` that counts and whose file is none of `others`. */
  const notIn = (some: readonly Taken[], others: readonly Taken[]) => {
    const paths = new Set(others.map(({ path }) => path))
    return some.find((each) => !paths.has(each.path) && isCounted(each, journaled, sides.numbers))
  }
  const chained = new Map<string, boolean>()
  const isChained = (directory: string) => {
    const known = chained.get(directory) ?? areChained(directory, yours, theirs)
    chained.set(directory, known)
    return known
  }
  for (const [place, own] of yours.taken) {
    const other = theirs.taken.get(place)
    const [your, their] = other ? [notIn(own, other), notIn(other, own)] : []
    if (your?.kind !== kind || !their) continue
    const { directory, value } = your
    if (kind === 'parent' && isChained(directory)) continue
    const files = { yours: nameOf(your.path), theirs: nameOf(their.path) }
    shared.push(takenFinding({ kind, directory, value, ...files, next: null }))
    if (shared.length === SHARED_MAX) break
  }
  return shared as unknown as FindingOf<Kind>[]
}

/** Whether one side builds on a new migration of the other, such as by one that joins both. */
function areChained(directory: string, yours: Taking, theirs: Taking): boolean {
  const [mine = [], its = []] = [yours, theirs].map(({ migrations }) => migrations.get(directory))
  return buildsOn(mine, its) || buildsOn(its, mine)
}

function buildsOn(some: readonly Migration[], others: readonly Migration[]): boolean {
  const names = new Set(others.map(({ own }) => own))
  return some.some(({ parents }) => parents.some((parent) => names.has(parent)))
}

/** By directory. */
function migrationsOf(files: readonly NewFile[]): Map<string, Migration[]> {
  const migrations = new Map<string, Migration[]>()
  for (const { path, migration } of files) if (migration) addTo(migrations, directoryOf(path), migration)
  return migrations
}

interface Seen extends Pick<Taken, 'kind' | 'directory' | 'value'> {
  yours: string
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
  if (kind === 'parent') return parentPlace(directory, value)
  return `@${numberKey(numberOf(pathIn(directory, yours)) as Numbered)}`
}

function parentPlace(directory: string, value: string): string {
  return `=${directory}/${value}`
}

/** The name by which a migration would build on the new file of the other side; null if it has none. */
export function successorOf(
  { kind, directory }: Pick<TakenFinding, 'kind' | 'directory'>,
  name: string,
  files: readonly NewFile[],
): string | null {
  if (kind === 'number') return null
  const path = pathIn(directory, name)
  return files.find((file) => file.path === path)?.migration?.own ?? null
}
