/**
 * All collisions among the live activities of a repository, and the order in which to merge its pull requests: the newest
 * activities are compared with each other, each pair once (docs/contract/overlap.md#all-collisions).
 */
import { createHash } from 'node:crypto'
import type { LiveWork } from '../../engine/check/live-pairs.ts'
import {
  computeOverlaps,
  overlapsOf,
  type RepositoryOverlaps,
  readLiveWork,
} from '../../engine/check/overlaps.ts'
import type { LiveSet } from '../../engine/live-set.ts'
import type { MergeOrder, Overlaps } from '../../vocabulary/contract/overlap-list.ts'
import type { RepositorySummary } from '../../vocabulary/contract/overview.ts'
import type { SingleFlight } from '../platform/background.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { inDatabase, liveSetOf } from './database-source.ts'

/** The collisions, and a version by which a caller knows without a comparison that it has them already. */
export async function versionedOverlaps(
  ctx: RepoContext,
  comparisons: SingleFlight,
): Promise<{ version: string; read(): Promise<Overlaps> }> {
  const compared = await readCompared(ctx)
  const read = async () => overlapsOf(await sharedOverlaps(ctx, compared, comparisons), ctx.now)
  return { version: compared.version, read }
}

/** How many of the listed collisions have each severity, and lead to each consequence. */
export async function countCollisions(ctx: RepoContext, comparisons: SingleFlight): Promise<CollisionCounts> {
  const { items } = await sharedOverlaps(ctx, await readCompared(ctx), comparisons)
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

export async function getMergeOrder(ctx: RepoContext, comparisons: SingleFlight): Promise<MergeOrder> {
  return (await sharedOverlaps(ctx, await readCompared(ctx), comparisons)).merge_order
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
function sharedOverlaps(
  ctx: RepoContext,
  compared: Compared,
  comparisons: SingleFlight,
): Promise<RepositoryOverlaps> {
  return comparisons.get<RepositoryOverlaps>({
    key: compared.version,
    compute: () => computeOverlaps(inDatabase(ctx), compared),
    sizeOf: (overlaps) => JSON.stringify(overlaps).length,
  })
}

interface Compared extends LiveWork {
  /** A text that changes whenever the collisions may change. */
  version: string
}

async function readCompared(ctx: RepoContext): Promise<Compared> {
  const work = await readLiveWork(inDatabase(ctx))
  return { ...work, version: versionOf(ctx, work.set) }
}

/** A text that changes whenever the overlap of an activity may change, or one of `more`. */
export async function liveVersion(ctx: RepoContext, more: readonly unknown[]): Promise<string> {
  return versionOf(ctx, await liveSetOf(ctx), more)
}

function versionOf(
  { repo, settings, now }: RepoContext,
  set: LiveSet,
  more: readonly unknown[] = [],
): string {
  // An end changes what overlaps without a new version.
  const live = [...set.records()].filter(({ ends_at }) => ends_at > now.getTime()).length
  const read = [repo.id, set.version, live, settings, repo.noise_attributes, ...more]
  return createHash('sha256').update(JSON.stringify(read)).digest('base64')
}
