/** The next free number of a directory (docs/contract/numbers.md#next). */

import type { ChangedFile } from '../../engine/lines/change.ts'
import { directoryOf, nameOf } from '../../engine/lines/taken.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { lastNumber, nextNumber, numberOf } from '../../vocabulary/file-number.ts'
import type { TakenFinding } from '../../vocabulary/finding.ts'
import { liveSetOf } from '../compare/live-set.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'

/** A name that begins with a timestamp rather than a number. */
const TIMESTAMPED = /^\D{0,4}\d{8,}/

/** The maximum number of directories whose next number is looked up. */
const DIRECTORIES_MAX = 3

/** A directory of the branch that work will be merged into; `base_branch` is null for the default branch. */
export interface BaseDirectory {
  directory: string
  base_branch: string | null
}

export interface TakenNumber {
  number: string
  /** A pull request such as `#12`, the id of an activity, or `base` for the base branch. */
  by: string
}

/** The numbers of the files of live work in a directory. Not inside a transaction. */
export async function listInFiles(ctx: RepoContext, directory: string): Promise<TakenNumber[]> {
  const now = ctx.now.getTime()
  const taken: TakenNumber[] = []
  for (const { source, owners } of (await liveSetOf(ctx)).paths.filesBeneath(directory)) {
    const number = directoryOf(source) === directory ? numberIn(directory, nameOf(source)) : null
    if (number === null) continue
    for (const { id, pr_number, ends_at } of owners)
      if (ends_at > now) taken.push({ number, by: holderOf(id, pr_number) })
  }
  return taken
}

/** The numbers that live activities have reserved in a directory. */
export async function listReserved(
  ctx: RepoContext,
  directory: string,
): Promise<(TakenNumber & { activity_id: string })[]> {
  const reserved = await store.listReserved(ctx.db, ctx.repo.id, directory, ctx.now)
  return reserved.map(({ number, activity_id, pr_number }) => ({
    ...{ number, activity_id, by: holderOf(activity_id, pr_number) },
  }))
}

/** Who holds a number, see `TakenNumber`. */
export function holderOf(activity_id: string, pr_number: number | null): string {
  return pr_number === null ? activity_id : `#${pr_number}`
}

/** The number in the name of a file; null if it has none. */
export function numberIn(directory: string, name: string): string | null {
  return numberOf(directory === '' ? name : `${directory}/${name}`)?.value ?? null
}

/**
 * The numbers in the directory of the base branch, as GitHub lists it now. Throws `validation_error` for a directory with
 * timestamps, and what `listDirectory` throws.
 */
export async function listInBase(ctx: RepoContext, base: BaseDirectory): Promise<string[]> {
  const { directory } = base
  const names = (await ctx.caller.listDirectory(base)) ?? []
  if (names.some((name) => TIMESTAMPED.test(name)))
    throw new Failure(
      'validation_error',
      `directory: the files of ${directory || 'the root'} are named by timestamps, which need no reservation`,
      { param: 'directory' },
    )
  return names.flatMap((name) => numberIn(directory, name) ?? [])
}

/**
 * By directory, the next number for a side with these files, which takes the same numbers as others. At most one listing of
 * GitHub for each directory.
 */
export async function findNextNumbers(
  ctx: RepoContext,
  { base_branch, files }: { base_branch: string | null; files: readonly Pick<ChangedFile, 'path'>[] },
  taken: readonly Pick<TakenFinding, 'kind' | 'directory'>[],
): Promise<Map<string, string>> {
  const shared = taken.filter(({ kind }) => kind === 'number')
  const directories = new Set(shared.map(({ directory }) => directory))
  const next = new Map<string, string>()
  for (const directory of [...directories].slice(0, DIRECTORIES_MAX))
    next.set(directory, await findNext(ctx, { directory, base_branch }, numbersIn(directory, files)))
  return next
}

/** The numbers of those files that lie directly in the directory. */
function numbersIn(directory: string, files: readonly Pick<ChangedFile, 'path'>[]): string[] {
  return files.flatMap(({ path }) =>
    directoryOf(path) === directory ? (numberIn(directory, nameOf(path)) ?? []) : [],
  )
}

/** The number after `more` and all that are held by live work or, as far as GitHub shows it, in the base branch. */
async function findNext(ctx: RepoContext, base: BaseDirectory, more: readonly string[]): Promise<string> {
  const inBase = await listInBase(ctx, base).catch(noneIfFailed)
  const held = [...(await listInFiles(ctx, base.directory)), ...(await listReserved(ctx, base.directory))]
  const last = inBase.length > 0 ? [lastNumber(inBase)] : []
  return nextNumber([...last, ...more, ...held.map(({ number }) => number)])
}

/** None for an answer of GitHub that the caller would be told; throws any other error again. */
function noneIfFailed(error: unknown): [] {
  if (error instanceof Failure) return []
  throw error
}
