/** The next free number of a directory (docs/contract/numbers.md#next). */
import { later } from '../../vocabulary/clock.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { lastNumber, nextNumber, numberOf } from '../../vocabulary/file-number.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'
import { directoryOf } from '../numbers/moved.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'

/** A name that begins with a timestamp rather than a number. */
const TIMESTAMPED = /^\D{0,4}\d{8,}/

/** How long a listing of the base branch is used, unless work is merged meanwhile. */
const LISTED_FOR_MS = 60_000

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

/** The numbers that live work and reservations hold in a directory, except those of the activity `except`. */
export async function listHeld(ctx: RepoContext, directory: string, except?: string): Promise<TakenNumber[]> {
  const { db, now, repo } = ctx
  const files = await store.listLiveFiles(db, repo.id, directory, now)
  const reserved = await store.listReserved(db, repo.id, directory, now)
  const held = [
    ...files.flatMap(({ name, ...file }) => {
      const number = numberIn(directory, name)
      return number === null ? [] : [{ ...file, number }]
    }),
    ...reserved.filter(({ activity_id }) => activity_id !== except),
  ]
  return held.map(({ number, activity_id, pr_number }) => ({
    number,
    by: pr_number === null ? activity_id : `#${pr_number}`,
  }))
}

/** The number in the name of a file; null if it has none. */
export function numberIn(directory: string, name: string): string | null {
  return numberOf(directory === '' ? name : `${directory}/${name}`)?.value ?? null
}

/**
 * The highest number in the directory of the base branch; null if it has none. At most one
 * call. Throws `validation_error` for a directory with timestamps, and what `listDirectory` throws.
 */
export async function readHighest(ctx: RepoContext, base: BaseDirectory): Promise<string | null> {
  const { db, now, repo, caller } = ctx
  const { directory, base_branch } = base
  const at = { repo_id: repo.id, directory, branch: base_branch ?? '' }
  const listed = await store.findListed(db, at)
  if (listed && (await isFresh(ctx, listed))) return listed.highest
  const names = await caller.listDirectory(base)
  if (names === null) return null
  if (names.some((name) => TIMESTAMPED.test(name)))
    throw new Failure(
      'validation_error',
      `directory: the files of ${directory || 'the root'} are named by timestamps, which need no reservation`,
      { param: 'directory' },
    )
  const values = names.flatMap((name) => numberIn(directory, name) ?? [])
  const highest = values.length === 0 ? null : lastNumber(values)
  if (repo.is_known) await store.saveListed(db, at, highest, now)
  return highest
}

/** Live work holds the numbers of its files until it is merged; then they are in no earlier listing. */
async function isFresh({ db, now, repo }: RepoContext, { listed_at }: { listed_at: Date }): Promise<boolean> {
  if (listed_at < later(now, -LISTED_FOR_MS)) return false
  const merged_at = await store.findLastMerge(db, repo.id)
  return merged_at === null || merged_at < listed_at
}

/** The numbers of those files that lie directly in the directory. */
export function numbersIn(directory: string, files: readonly Pick<ChangedFile, 'path'>[]): string[] {
  return files.flatMap(({ path }) =>
    directoryOf(path) === directory ? (numberIn(directory, path.slice(path.lastIndexOf('/') + 1)) ?? []) : [],
  )
}

/**
 * The number after `more` and all that are held by live work or, as far as GitHub shows it, in the base branch. At most
 * one call.
 */
export async function findNext(
  ctx: RepoContext,
  base: BaseDirectory,
  more: readonly string[],
): Promise<string> {
  return nextAfter(ctx, base, { more, highest: await readHighest(ctx, base).catch(nullIfFailed) })
}

/** The same as far as it is known without a call, by the last listing. */
export async function findKnownNext(
  ctx: RepoContext,
  base: BaseDirectory,
  more: readonly string[],
): Promise<string> {
  const at = { repo_id: ctx.repo.id, directory: base.directory, branch: base.base_branch ?? '' }
  const highest = (await store.findListed(ctx.db, at))?.highest ?? null
  return nextAfter(ctx, base, { more, highest })
}

async function nextAfter(
  ctx: RepoContext,
  base: BaseDirectory,
  { more, highest }: { more: readonly string[]; highest: string | null },
): Promise<string> {
  const held = await listHeld(ctx, base.directory)
  const values = [...more, ...held.map(({ number }) => number)]
  return nextNumber(highest === null ? values : [highest, ...values])
}

/** Null for an answer of GitHub that the caller would be told; throws any other error again. */
function nullIfFailed(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}
