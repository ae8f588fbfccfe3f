/** The records of a repository in the database, as a check asks for them: the live set as it is now, and the rest by id. */
import type { CheckContext, Sided, StoredFile } from '../../engine/check/source.ts'
import { lineHasher } from '../../engine/lines/line-hash.ts'
import type { LiveSet } from '../../engine/live-set.ts'
import type { Change } from '../../engine/record.ts'
import { inTurns, mapped } from '../../vocabulary/deadline.ts'
import { pagesOf } from '../../vocabulary/lists.ts'
import type { Db } from '../platform/db/database.ts'
import { listChanged, listCompared, listEnds, listMerged } from '../records/activities/compared-store.ts'
import { listReserved } from '../records/activities/store.ts'
import { listChangesOf } from '../records/file-changes/store.ts'
import { findLiveSet } from '../records/live-sets/store.ts'
import { findDoneBy } from '../records/merged-work/merged-work.ts'
import { listChangedNotables, listNotablesWith } from '../records/notables/store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { listLinks } from '../records/stacks/store.ts'

/** The number of activities that are read at once. */
const PAGE = 1_000
/** The maximum number of links between branches. */
const LINKS_MAX = 10_000
/** An activity that ended longer ago gets no heartbeat, whatever the clocks of other instances say. */
const FINAL_AFTER_MS = 60_000

/** Not inside a transaction, see `liveSetOf`. */
export function inDatabase(ctx: RepoContext): RepoContext & CheckContext {
  const { db, now } = ctx
  const { id } = ctx.repo
  return {
    ...ctx,
    source: {
      liveSet: () => liveSetOf(ctx),
      activities: (ids) => listCompared(db, id, ids),
      notables: (ids) => listNotablesWith(db, id, ids),
      merged: (page) => listMerged(db, id, page),
      files: (sides) => readFilesOf(ctx, sides),
      hasher: lineHasher(ctx.repo.line_key),
      reserved: (directory) => listReserved(db, id, directory, now),
      baseDirectory: (directory) => ctx.caller.listDirectory(directory),
      doneBy: (lines, work) => findDoneBy(ctx, lines, work),
    },
  }
}

/** Everything that was committed before the call is in it. Not inside a transaction: others wait for the result. */
export async function liveSetOf({ db, repo, now, live_sets }: RepoContext): Promise<LiveSet> {
  const set = await live_sets.upToDate(repo.id, (set) => refresh(db, repo.id, set))
  const ended = set.seemEnded(now.getTime())
  if (ended.length > 0) {
    const ids = ended.map(({ id }) => id)
    set.moveEnds(ended, await listEnds(db, repo.id, ids), now.getTime() - FINAL_AFTER_MS)
  }
  return set
}

async function refresh(db: Db, repo_id: number, set: LiveSet): Promise<void> {
  const stored = await findLiveSet(db, repo_id)
  if (!stored || stored.version < set.version || set.version < stored.deleted_version) set.clear()
  if (!stored) return
  if (set.version < stored.version) await readChanges(db, repo_id, set)
  if (set.links_version !== stored.links_version) {
    set.replaceLinks(await listLinks(db, repo_id, LINKS_MAX))
    set.links_version = stored.links_version
  }
  // What changed meanwhile is read again with the next question.
  set.version = stored.version
}

async function readChanges(db: Db, repo_id: number, set: LiveSet): Promise<void> {
  const with_ended = set.version >= 0
  for (let after = { version: set.version, id: LAST_ID }; ; ) {
    const page = await listChanged(db, repo_id, { ...after, with_ended, limit: PAGE })
    await applyAll(set, page)
    if (page.length < PAGE) break
    after = page.at(-1) as Change
  }
  await applyAll(set, await listChangedNotables(db, repo_id, set.version))
}

/** After the ids of all activities. */
const LAST_ID = 'b'

/** Yields to other requests. A question that is running sees some of the changes, which were committed after it began. */
async function applyAll(set: LiveSet, changes: readonly Change[]): Promise<void> {
  const steps = mapped(changes, ({ id, outline }) => (outline ? set.replace(outline) : set.remove(id)))
  await inTurns(steps)
}

/** The maximum numbers of activities and files that are read at once. */
const FILE_PAGES = { max: 100, size_max: 1_000, sizeOf: ({ side }: Sided) => side.files.length }

async function* readFilesOf<Each extends Sided>(
  { db, repo }: RepoContext,
  sides: readonly Each[],
): AsyncGenerator<{ each: Each; stored: StoredFile[] }> {
  const changing = sides.filter(({ side }) => side.files.length > 0)
  for (const page of pagesOf(changing, FILE_PAGES)) {
    const byId = new Map<string, StoredFile[]>(page.map(({ id }) => [id, []]))
    const rows = await listChangesOf(db, repo.id, [...byId.keys()])
    for (const row of rows) byId.get(row.activity_id)?.push(row)
    for (const each of page) yield { each, stored: byId.get(each.id) ?? [] }
  }
}
