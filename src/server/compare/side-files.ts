/** Reads the changed files of activities with their digests, in bounded queries. */

import type { Names, Sided, StoredFile } from '../../engine/check/source.ts'
import { namesOf } from '../../engine/lines/change.ts'
import { pagesOf } from '../../vocabulary/lists.ts'
import { type FoundChange, listChangesOf, listFileChanges } from '../records/file-changes/store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'

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
/**
 * The stored files of each activity that has any, in order; of those with more than `FILES_MAX`, files without a name in
 * `names` can be missing.
 */
export async function* readFilesOf<Each extends Sided>(
  ctx: RepoContext,
  sides: readonly Each[],
  names: Names,
): AsyncGenerator<{ each: Each; stored: StoredFile[] }> {
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

/** All stored files of activities, by id. */
export function readAllFiles(ctx: RepoContext, sides: readonly Sided[]): Promise<Map<string, StoredFile[]>> {
  return readPage(ctx, sides, ALL)
}

async function readPage(
  { db, repo }: RepoContext,
  page: readonly Sided[],
  limit: number,
): Promise<Map<string, StoredFile[]>> {
  const ids = page.map(({ id }) => id)
  const byId = new Map<string, StoredFile[]>(ids.map((id) => [id, []]))
  for (const row of await listChangesOf(db, repo.id, { ids, limit })) byId.get(row.activity_id)?.push(row)
  return byId
}

async function readShared(
  { db, repo }: RepoContext,
  large: readonly Sided[],
  names: Names,
): Promise<FoundChange[]> {
  const wanted = large.flatMap(({ id, side }) => {
    const shared = side.files.filter((file) => namesOf(file).some((name) => names.has(name)))
    const first = shared.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, SHARED_MAX)
    return first.map(({ origin, path }) => ({ activity_id: id, origin, name: path }))
  })
  const found = wanted.length === 0 ? [] : await listFileChanges(db, repo.id, wanted)
  // A row that was found by its former name belongs to another file.
  return found.filter(({ name, path }) => name === path)
}
