/** What was counted of repositories, for all callers: it says nothing about who may see them. */
import { LRUCache } from 'lru-cache'
import type { Severity } from '../../../vocabulary/severity.ts'
import type { Counts } from './store.ts'

/** Repositories are counted again after this time. */
const FRESH_MS = 30_000
/** Collisions are counted again after this time even if no record changed. */
const COLLISIONS_FRESH_MS = 600_000
const REPOSITORIES_MAX = 20_000

export interface Counted {
  read_at: Date
  counts: Counts
  /** The collisions, and when they were counted; null if they were not. */
  collisions: { by_severity: Record<Severity, number>; at: Date } | null
}

export class CountsCache {
  readonly #counted = new LRUCache<number, Counted>({ max: REPOSITORIES_MAX })

  /** What was counted within the last 30 seconds. */
  fresh(repo_id: number, now: Date): Counted | undefined {
    const counted = this.#counted.get(repo_id)
    return counted && isWithin(counted.read_at, FRESH_MS, now) ? counted : undefined
  }

  /** Stores new counts. If no record changed, the collisions are still the same. */
  keep(counts: Counts, now: Date): Counted {
    const before = this.#counted.get(counts.repo_id)
    const collisions = before?.collisions ?? null
    const isSame =
      before !== undefined &&
      collisions !== null &&
      isWithin(collisions.at, COLLISIONS_FRESH_MS, now) &&
      versionOf(before.counts) === versionOf(counts)
    const counted = { read_at: now, counts, collisions: isSame ? collisions : null }
    this.#counted.set(counts.repo_id, counted)
    return counted
  }
}

function isWithin(at: Date, ms: number, now: Date): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms
}

/** Changes when the live activities or the settings change. */
function versionOf({ version, people }: Counts): string {
  return JSON.stringify([version, people])
}
