/** The repositories with live records that a caller may see, those that need attention first (docs/contract/overview.md). */

import { LRUCache } from 'lru-cache'
import {
  byAttention,
  LISTED_MAX,
  LOGINS_MAX,
  type RepositoryOverview,
  type RepositorySummary,
} from '../../../vocabulary/contract/overview.ts'
import { type CollisionCounts, countCollisions, countsOf } from '../../compare/database-source.ts'
import type { RepositoryList, VisibleRepository } from '../../github/tokens.ts'
import type { App } from '../../records/repositories/app.ts'
import { noCaller, openRepo, type RepoContext } from '../../records/repositories/repo.ts'
import { type Counts, readCounts } from './store.ts'

/** How long one request counts collisions. The other repositories are counted after the answer. */
const COUNTING_MS = 50
/** What reading the counts of a repository costs, and reading what its collisions depend on. */
const COUNTS_MS = 0.1
const COLLISIONS_MS = 1

/** The time of the request, and who asks. */
type CallerRequest = Pick<RepoContext, 'now' | 'caller'>

/**
 * The overview of those of `repositories` that have live records. Costs one query, and for each repository whose live
 * activities changed since their collisions were last counted, a few more and a comparison.
 */
export async function listRepositories(
  app: App,
  { repositories, complete }: RepositoryList,
  request: CallerRequest,
): Promise<RepositoryOverview> {
  const ids = repositories.map(({ id }) => id)
  const counted = await readCounted(app, ids, request)
  const live = repositories.flatMap((repository) => {
    const found = counted.get(repository.id)
    return found ? [{ repository, found }] : []
  })
  const listed = live.slice(0, LISTED_MAX)
  const uncounted = listed.filter(({ found }) => found.collisions === null)
  const { meter } = request.caller
  const most = meter.used_ms + COUNTING_MS
  while (meter.used_ms < most && uncounted[0]) {
    await countCollisionsOf(app, uncounted[0], request)
    uncounted.shift()
  }
  if (uncounted.length > 0)
    app.background.start(async () => {
      for (const each of uncounted) await countCollisionsOf(app, each, { ...request, caller: noCaller() })
    })
  const items = listed.map(({ repository, found }) => summaryOf(repository, found))
  return { items: items.toSorted(byAttention), complete: complete && live.length <= LISTED_MAX }
}

/** What each running service counted last. */
const caches = new WeakMap<App, LRUCache<number, Counted>>()

/** The counts of the repositories that have live records: the cached ones that are fresh, and the others in one query. */
async function readCounted(
  app: App,
  ids: readonly number[],
  { now, caller }: CallerRequest,
): Promise<Map<number, Counted>> {
  const cache = caches.get(app) ?? new LRUCache({ max: REPOSITORIES_MAX })
  caches.set(app, cache)
  const counted = new Map<number, Counted>()
  for (const id of ids) {
    const known = cache.get(id)
    if (known && Math.abs(now.getTime() - known.read_at.getTime()) < FRESH_MS) counted.set(id, known)
  }
  const missing = ids.filter((id) => !counted.has(id))
  if (missing.length === 0) return counted
  const rows = await readCounts(app.database.connection(), missing, now)
  caller.meter.used_ms += COUNTS_MS * rows.length
  for (const counts of rows) {
    const { repo_id } = counts
    const before = cache.get(repo_id)
    // If no record changed since then, the collisions are still the same.
    const isSame = before !== undefined && versionOf(before.counts) === versionOf(counts)
    const latest = { read_at: now, counts, collisions: isSame ? before.collisions : null }
    cache.set(repo_id, latest)
    counted.set(repo_id, latest)
  }
  return counted
}

function summaryOf({ owner, name }: VisibleRepository, { counts, collisions }: Counted): RepositorySummary {
  const { people, notables } = counts
  const persons = people ?? []
  const changes = [...persons.map(({ changed_at }) => changed_at), notables?.changed_at ?? []].flat()
  return {
    owner,
    name,
    live_activities: liveIn({ people }),
    ...(collisions ?? { collisions: null, consequences: null }),
    active_notables: notables?.active ?? 0,
    high_notables: notables?.high ?? 0,
    people: persons.length,
    logins: persons
      .filter(({ is_login }) => is_login)
      .slice(0, LOGINS_MAX)
      .map((each) => each.name),
    last_change_at: new Date(Math.max(...changes.map((change) => Date.parse(change)))).toISOString(),
  }
}

function liveIn({ people }: Pick<Counts, 'people'>): number {
  return (people ?? []).reduce((sum, each) => sum + each.live_activities, 0)
}

async function countCollisionsOf(
  app: App,
  { repository, found }: { repository: VisibleRepository; found: Counted },
  { now, caller }: CallerRequest,
): Promise<void> {
  if (liveIn(found.counts) < 2) {
    found.collisions = countsOf([])
    return
  }
  const { owner, name } = repository
  const opened = await openRepo(app, repository, { owner, name, now })
  caller.meter.used_ms += COLLISIONS_MS
  found.collisions = await countCollisions({ ...opened, caller })
}

/** Repositories are counted again after this time. */
const FRESH_MS = 30_000
const REPOSITORIES_MAX = 20_000

interface Counted {
  read_at: Date
  counts: Counts
  /** Null if they were not counted. */
  collisions: CollisionCounts | null
}

/** Changes when the live activities or the settings change. */
function versionOf({ version, people }: Counts): string {
  return JSON.stringify([version, people])
}
