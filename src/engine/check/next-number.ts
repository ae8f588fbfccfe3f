/** The next free number of a directory (docs/contract/numbers.md#next). */

import type { ReservedNumber as ReservedAnswer } from '../../vocabulary/contract/number.ts'
import { Failure } from '../../vocabulary/failure.ts'
import {
  compareNumbers,
  directoryOf,
  lastNumber,
  nextNumber,
  numberOf,
  pathIn,
} from '../../vocabulary/file-number.ts'
import type { TakenFinding } from '../../vocabulary/finding-kinds.ts'
import type { ChangedFile } from '../lines/change.ts'
import type { BaseDirectory, CheckContext, ReservedNumber } from './source.ts'

/** A name that begins with a timestamp rather than a number. */
const TIMESTAMPED = /^\D{0,4}\d{8,}/

/** The maximum number of directories whose next number is looked up. */
const DIRECTORIES_MAX = 3

type TakenNumber = ReservedAnswer['taken'][number]

type NumbersContext = Pick<CheckContext, 'now' | 'source'>

/** The numbers of the files of live work in a directory. Not inside a transaction. */
export async function listInFiles(ctx: NumbersContext, directory: string): Promise<TakenNumber[]> {
  const now = ctx.now.getTime()
  const taken: TakenNumber[] = []
  for (const { source, owners } of (await ctx.source.liveSet()).paths.filesBeneath(directory)) {
    const number = numberIn(directory, source)
    if (number === null) continue
    for (const { id, pr_number, ends_at } of owners)
      if (ends_at > now) taken.push({ number, by: holderOf(id, pr_number) })
  }
  return taken
}

/** Who holds a number: a pull request such as `#12`, or the id of an activity. */
function holderOf(activity_id: string, pr_number: number | null): string {
  return pr_number === null ? activity_id : `#${pr_number}`
}

/** The number in the name of a file; null if it has none, or lies elsewhere than in the directory. */
function numberIn(directory: string, path: string): string | null {
  // Of all files beneath a directory, few lie in it, which is asked faster.
  return directoryOf(path) === directory ? (numberOf(path)?.value ?? null) : null
}

/**
 * The numbers in the directory of the base branch, as it is now. Throws `validation_error` for a directory with
 * timestamps, and what `listDirectory` throws.
 */
export async function listInBase(ctx: NumbersContext, base: BaseDirectory): Promise<string[]> {
  const { directory } = base
  const names = (await ctx.source.baseDirectory(base)) ?? []
  if (names.some((name) => TIMESTAMPED.test(name)))
    throw new Failure(
      'validation_error',
      `directory: the files of ${directory || 'the root'} are named by timestamps, which need no reservation`,
      { param: 'directory' },
    )
  return names.flatMap((name) => numberIn(directory, pathIn(directory, name)) ?? [])
}

/**
 * By directory, the next number for a side with these files, which takes the same numbers as others. At most one listing of
 * GitHub for each directory.
 */
export async function findNextNumbers(
  ctx: NumbersContext,
  { base_branch, files }: { base_branch: string | null; files: readonly Pick<ChangedFile, 'path'>[] },
  taken: readonly Pick<TakenFinding, 'kind' | 'directory'>[],
): Promise<Map<string, string>> {
  const shared = taken.filter(({ kind }) => kind === 'number')
  const directories = new Set(shared.map(({ directory }) => directory))
  const next = new Map<string, string>()
  const own = (directory: string) => files.flatMap(({ path }) => numberIn(directory, path) ?? [])
  for (const directory of [...directories].slice(0, DIRECTORIES_MAX))
    next.set(directory, await findNext(ctx, { directory, base_branch }, own(directory)))
  return next
}

/** The number after `more` and all that are held by live work or, as far as GitHub shows it, in the base branch. */
async function findNext(ctx: NumbersContext, base: BaseDirectory, more: readonly string[]): Promise<string> {
  const inBase = await listInBase(ctx, base).catch(noneIfFailed)
  const held = [...(await listInFiles(ctx, base.directory)), ...(await ctx.source.reserved(base.directory))]
  const last = inBase.length > 0 ? [lastNumber(inBase)] : []
  return nextNumber([...last, ...more, ...held.map(({ number }) => number)])
}

/** None for an answer of GitHub that the caller would be told; throws any other error again. */
function noneIfFailed(error: unknown): [] {
  if (error instanceof Failure) return []
  throw error
}

export interface Reservation extends ReservedAnswer {
  /** It was reserved before. */
  is_repeated: boolean
}

const TAKEN_MAX = 100

/**
 * The number that an activity gets: the one that it has reserved, as long as no file of live work and of the base branch has it,
 * else the next free one.
 */
export function reservationOf(
  activity_id: string,
  known: {
    directory: string
    inBase: readonly string[]
    /** Those of the files of live work, the activity's own among them. */
    inFiles: readonly TakenNumber[]
    reserved: readonly ReservedNumber[]
  },
): Reservation {
  const { directory, inBase, inFiles, reserved } = known
  const own = reserved.find((each) => each.activity_id === activity_id)
  const held = reserved
    .filter((each) => each.activity_id !== activity_id)
    .map((each) => ({ number: each.number, by: holderOf(each.activity_id, each.pr_number) }))
  const last = inBase.length > 0 ? [{ number: lastNumber(inBase), by: 'base' }] : []
  const taken = sorted([...last, ...inFiles, ...held])
  const inUse = [...inBase, ...inFiles.map((each) => each.number)]
  if (own && !inUse.some(isNumber(own.number)))
    return { number: own.number, directory, taken, is_repeated: true }
  const number = nextNumber(taken.map((each) => each.number))
  return { number, directory, taken, is_repeated: false }
}

/** `42` is `0042`. */
function isNumber(number: string): (other: string) => boolean {
  return (other) => compareNumbers(number, other) === 0
}

/** The highest first. */
function sorted(taken: TakenNumber[]): TakenNumber[] {
  const distinct = new Map(taken.map((each) => [`${each.number} ${each.by}`, each]))
  return [...distinct.values()].sort((a, b) => compareNumbers(b.number, a.number)).slice(0, TAKEN_MAX)
}
