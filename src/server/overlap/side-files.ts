/** Reads the changed files of activities with their digests, in bounded queries. */

import type { DigestedFile, Side, SideFile } from '../../engine/kinds/side.ts'
import { namesOf } from '../../engine/lines/change.ts'
import type { Digest } from '../../engine/lines/digest.ts'
import type { Budget } from '../../vocabulary/budget.ts'
import type { Steps } from '../../vocabulary/steps.ts'
import { inTurns, mapped } from '../base/event-loop.ts'
import { pagesOf } from '../base/lists.ts'
import { digestIfKnown, listChangesOf, listFileChanges, type StoredChange } from '../file-changes/store.ts'
import type { RepoContext } from '../repositories/repo.ts'

/**
 * The maximum number of files of one activity whose digests are read. If it has more, up to `SHARED_MAX` files that the other
 * side changes too are also read. Verdicts are therefore exact, but duplicates are found from a part of the files.
 */
const FILES_MAX = 300
const SHARED_MAX = 1_000
/** The maximum numbers of activities and files that are read at once. */
const PAGES = {
  max: 100,
  size_max: 1_000,
  sizeOf: ({ side }: Sided) => Math.min(side.files.length, FILES_MAX),
}
/** More files than any side has. */
const ALL = 10_000
/** Cost units of decoding a digest, and each byte of it. */
const DECODE_COST = 300
const BYTE_COST = 1

type Stored = Omit<StoredChange, 'digest'> & { digest: Uint8Array | Digest | null }

interface Sided {
  id: string
  side: Side
}

/** Names of files that are compared. */
interface Names {
  has(name: string): boolean
}

/**
 * The stored files of each activity that has any, in order; of those with more than `FILES_MAX`, files without a name in
 * `names` can be missing.
 */
export async function* readFilesOf<Each extends Sided>(
  ctx: RepoContext,
  sides: readonly Each[],
  names: Names,
): AsyncGenerator<{ each: Each; stored: Stored[] }> {
  for (const page of pagesOf(
    sides.filter(({ side }) => side.files.length > 0),
    PAGES,
  )) {
    const stored = await readPage(ctx, page, FILES_MAX)
    const large = page.filter(({ side }) => side.files.length > FILES_MAX)
    for (const found of await readShared(ctx, large, names)) stored.get(found.activity_id)?.push(found)
    for (const each of page) yield { each, stored: stored.get(each.id) ?? [] }
  }
}

/** The files of the activities that are checked, with all digests. */
export async function readOwnFiles(
  ctx: RepoContext,
  sides: readonly Sided[],
  budget: Budget,
): Promise<DigestedFile[]> {
  const stored = await readPage(ctx, sides, ALL)
  const files: DigestedFile[] = []
  for (const { id, side } of sides)
    for (const file of await inTurns(withDigests(side.files, stored.get(id) ?? [], budget))) files.push(file)
  return files
}

/** Adds the stored digests to files. A file that is not stored any more, because its activity has changed or ended, gets none. */
export function withDigests(
  files: readonly SideFile[],
  stored: readonly Stored[],
  budget: Budget,
): Steps<DigestedFile[]> {
  const byKey = new Map(stored.map((each) => [keyOf(each), each]))
  return mapped(files, (file) => {
    const { changed_lines = null, digest = null } = byKey.get(keyOf(file)) ?? {}
    if (!(digest instanceof Uint8Array)) return { ...file, changed_lines, digest }
    budget.remaining -= DECODE_COST + BYTE_COST * digest.length
    return { ...file, changed_lines, digest: budget.remaining < 0 ? null : digestIfKnown(digest) }
  })
}

function keyOf({ origin, path }: Pick<SideFile, 'origin' | 'path'>): string {
  return `${origin} ${path}`
}

async function readPage(
  { db, repo }: RepoContext,
  page: readonly Sided[],
  limit: number,
): Promise<Map<string, Stored[]>> {
  const ids = page.map(({ id }) => id)
  const byId = new Map<string, Stored[]>(ids.map((id) => [id, []]))
  for (const row of await listChangesOf(db, repo.id, { ids, limit })) byId.get(row.activity_id)?.push(row)
  return byId
}

async function readShared(
  { db, repo }: RepoContext,
  large: readonly Sided[],
  names: Names,
): Promise<Stored[]> {
  const wanted = large.flatMap(({ id, side }) => {
    const shared = side.files.filter((file) => namesOf(file).some((name) => names.has(name)))
    const first = shared.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, SHARED_MAX)
    return first.map(({ origin, path }) => ({ activity_id: id, origin, name: path }))
  })
  const found = wanted.length === 0 ? [] : await listFileChanges(db, repo.id, wanted)
  // A row that was found by its former name belongs to another file.
  return found.filter(({ name, path }) => name === path)
}
