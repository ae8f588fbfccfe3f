/**
 * The records of a repository in the database, as a check asks for them: the live set as it is now, and the rest by id. And
 * all its collisions, which callers share until a row changes.
 */

import { createHash } from 'node:crypto'
import type { LiveWork } from '../../engine/check/live-pairs.ts'
import {
  computeOverlaps,
  overlapsOf,
  type RepositoryOverlaps,
  readLiveWork,
} from '../../engine/check/overlaps.ts'
import { STILL_IMPORTING } from '../../engine/check/result-words.ts'
import type { CheckContext, Conclusion, Sided, StoredFile } from '../../engine/check/source.ts'
import { lineHasher } from '../../engine/lines/line-hash.ts'
import type { LiveSet } from '../../engine/live-set.ts'
import type { Change } from '../../engine/record.ts'
import { inTurns, mapped } from '../../vocabulary/clock.ts'
import type { MergeOrder, Overlaps } from '../../vocabulary/contract/overlap-list.ts'
import type { RepositorySummary } from '../../vocabulary/contract/overview.ts'
import { pagesOf } from '../../vocabulary/lists.ts'
import { listImporting } from '../jobs/store.ts'
import type { Db } from '../platform/db/database.ts'
import { listChanged, listCompared, listEnds, listMerged } from '../records/activities/compared-store.ts'
import { listReserved } from '../records/activities/store.ts'
import { listChangesOf } from '../records/file-changes/store.ts'
import { findLiveSet } from '../records/live-sets/store.ts'
import { findDoneBy } from '../records/merged-work/store.ts'
import { listChangedNotables, listNotablesWith } from '../records/notables/store.ts'
import { IMPORTING } from '../records/repositories/installation.ts'
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

/** Runs a check, and adds whether pull requests are still imported: what is imported meanwhile is missing. */
export async function checked(
  ctx: RepoContext,
  check: (source: ReturnType<typeof inDatabase>) => Promise<Conclusion>,
): Promise<Conclusion> {
  const is_importing = await isImporting(ctx)
  const conclusion = await check(inDatabase(ctx))
  return { ...conclusion, is_importing: is_importing && conclusion.emptiness === null }
}

async function isImporting({ db, repo }: RepoContext): Promise<boolean> {
  return (await listImporting(db, repo, { kinds: IMPORTING, limit: 1 })).length > 0
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

/** The collisions, and a version by which a caller knows without a comparison that it has them already. */
export async function versionedOverlaps(
  ctx: RepoContext,
): Promise<{ version: string; read(): Promise<Overlaps> }> {
  const compared = await readCompared(ctx)
  const read = async () => overlapsOf(await sharedOverlaps(ctx, compared), ctx.now)
  return { version: compared.version, read }
}

/** How many of the listed collisions have each severity, and lead to each consequence. */
export async function countCollisions(ctx: RepoContext): Promise<CollisionCounts> {
  const { items } = await sharedOverlaps(ctx, await readCompared(ctx))
  return countsOf(items)
}

export type CollisionCounts = Pick<RepositorySummary, 'collisions' | 'consequences'>

export function countsOf(items: Overlaps['items']): CollisionCounts {
  const collisions = { high: 0, medium: 0, low: 0 }
  const consequences = { conflict: 0, same_work: 0, same_number: 0, possible: 0, same_file: 0 }
  for (const { severity, consequence } of items) {
    collisions[severity] += 1
    consequences[consequence] += 1
  }
  const { same_file: _, ...listed } = consequences
  return { collisions, consequences: listed }
}

export async function getMergeOrder(ctx: RepoContext): Promise<MergeOrder> {
  return (await sharedOverlaps(ctx, await readCompared(ctx))).merge_order
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
function sharedOverlaps(ctx: RepoContext, compared: Compared): Promise<RepositoryOverlaps> {
  return ctx.comparisons.get(compared.version, () => computeOverlaps(inDatabase(ctx), compared))
}

interface Compared extends LiveWork {
  /** A text that changes whenever the collisions may change. */
  version: string
}

async function readCompared(ctx: RepoContext): Promise<Compared> {
  const unread = (await isImporting(ctx)) ? [STILL_IMPORTING] : []
  const work = await readLiveWork(inDatabase(ctx), unread)
  return { ...work, version: versionOf(ctx, work.set, unread) }
}

/** A text that changes whenever the overlap of an activity may change, or one of `more`. */
export async function liveVersion(ctx: RepoContext, more: readonly unknown[]): Promise<string> {
  return versionOf(ctx, await liveSetOf(ctx), more)
}

function versionOf({ repo, settings, now }: RepoContext, set: LiveSet, more: readonly unknown[]): string {
  // An end changes what overlaps without a new version.
  const live = [...set.records()].filter(({ ends_at }) => ends_at > now.getTime()).length
  const read = [repo.id, set.version, live, settings, repo.noise_attributes, ...more]
  return createHash('sha256').update(JSON.stringify(read)).digest('base64')
}
