/** Numbers and leaves of migrations in the files of a tree. Pure. */
import { directoryOf } from '../../../src/vocabulary/file-number.ts'
import { rootsOf } from './meetings.ts'
import { graphOf, type MigrationFile } from './migration-file.ts'
import type { Case, Files, Migrations, Trees } from './truth.ts'

/** At least as many files of a directory must have a number, and nearly all a different one. */
const NUMBERED_MIN = 5
const DISTINCT_MIN = 0.9
/** Longer ones are timestamps. */
const DIGITS_MAX = 7

/** The text before the number in the name of a file, in lower case, and the number. */
export function numberIn(path: string): { key: string; prefix: string; value: number } | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [, before, digits] = /^(\D*)(\d+)/.exec(name) ?? []
  if (before === undefined || digits === undefined || digits.length > DIGITS_MAX) return null
  const [prefix, value] = [before.toLowerCase(), Number(digits)]
  return { key: `${directoryOf(path)}/${prefix}${value}`, prefix, value }
}

/** Whether the files of the directory that are named like this one have numbers of their own. */
export function isNumbered(files: Files, root: string, like: string): boolean {
  const prefix = numberIn(like)?.prefix
  const numbers = [...files.keys()].flatMap((path) => {
    const number = directoryOf(path) === root ? numberIn(path) : null
    return number !== null && number.prefix === prefix ? [number.value] : []
  })
  return numbers.length >= NUMBERED_MIN && new Set(numbers).size >= DISTINCT_MIN * numbers.length
}

/** A file of each side with one number that the tree with both holds more often than that with either; null if there are none. */
export function takesTwice(
  { base, one, other, both }: Trees,
  mine: readonly string[],
  its: readonly string[],
): string[] | null {
  const count = (files: Files, key: string) =>
    [...files.keys()].filter((path) => numberIn(path)?.key === key).length
  for (const my of mine) {
    const key = numberIn(my)?.key
    const their = its.find((path) => path !== my && numberIn(path)?.key === key)
    if (key === undefined || their === undefined || !isNumbered(base, directoryOf(my), my)) continue
    if (count(both, key) > Math.max(count(one, key), count(other, key))) return [my, their]
  }
  return null
}

/**
 * A leaf of each side, if the tree with both has more leaves than that with either, else `once`. `unknown` if a side alone
 * adds a leaf, or builds on a migration that is not there.
 */
export function joinsParents(
  { base, one, other, both }: Trees,
  { root, added, migrations }: Pick<Case, 'root' | 'added'> & { migrations: Migrations },
): string[] | 'once' | 'gone' | 'unknown' {
  const graphIn = (files: Files) => graphOf(migrationsIn(files, root, migrations))
  const [before, mine, its, all] = [base, one, other, both].map(graphIn) as Four<ReturnType<typeof graphOf>>
  const isSound = (graph: typeof mine) =>
    graph.leaves.size <= Math.max(1, before.leaves.size) && graph.missing <= before.missing
  if (!isSound(mine) || !isSound(its)) return 'unknown'
  if (all.missing > Math.max(mine.missing, its.missing)) return 'gone'
  if (all.leaves.size <= Math.max(mine.leaves.size, its.leaves.size)) return 'once'
  const leaves = added.map((paths) => [...all.leaves].find((path) => paths.has(path)))
  return leaves.every((path) => path !== undefined) ? leaves : 'once'
}

type Four<Each> = [Each, Each, Each, Each]

function migrationsIn(files: Files, root: string, migrations: Migrations): Map<string, MigrationFile> {
  const found = new Map<string, MigrationFile>()
  for (const [path, id] of files) {
    const migration = migrations.get(id)
    if (migration && isReadFrom(root, path, migration)) found.set(path, migration)
  }
  return found
}

/** Django reads a migration from its directory, Alembic from the root. */
export function isReadFrom(root: string, path: string, migration: MigrationFile | undefined): boolean {
  if (migration === undefined) return false
  return root === (migration.kind === 'django' ? directoryOf(path) : rootsOf(path).at(-1))
}
