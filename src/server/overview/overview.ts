/** The repositories with live records that a caller may see, those that need attention first (docs/contract/overview.md). */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import {
  byAttention,
  DAYS,
  LISTED_MAX,
  LOGINS_MAX,
  type RepositoryOverview,
  type RepositorySummary,
} from '../../vocabulary/contract/overview.ts'
import { notableWeight } from '../../vocabulary/weight.ts'
import type { RepositoryList, VisibleRepository } from '../github/repository-lists.ts'
import { countCollisions } from '../overlap/repository-overlaps.ts'
import type { App } from '../repositories/app.ts'
import { type ContextCaller, openRepo } from '../repositories/repo.ts'
import { countCreated, listActiveNotables, listPeople, listStored } from './store.ts'

/** The collisions of further repositories are not counted once a request has used this many cost units. */
const UNITS_MAX = 12_000_000

/** The time of the request, and who asks. */
export interface CallerRequest {
  now: Date
  caller: ContextCaller
}

/**
 * The overview of those of `repositories` that have live records. Costs two queries for each stored repository, one more if it
 * has live records, and a comparison of its activities if there are several.
 */
export async function listRepositories(
  app: App,
  { repositories, complete }: RepositoryList,
  request: CallerRequest,
): Promise<RepositoryOverview> {
  const stored = new Set(
    await listStored(
      app.database.connection(),
      repositories.map(({ id }) => id),
    ),
  )
  const items: RepositorySummary[] = []
  for (const repository of repositories.filter(({ id }) => stored.has(id))) {
    const summary = await readSummary(app, repository, request)
    if (!summary) continue
    if (items.length === LISTED_MAX) return { items: items.toSorted(byAttention), complete: false }
    items.push(summary)
  }
  return { items: items.toSorted(byAttention), complete }
}

/** The summary of a repository; undefined if it has no live records. */
async function readSummary(
  app: App,
  repository: VisibleRepository,
  request: CallerRequest,
): Promise<RepositorySummary | undefined> {
  const { id, owner, name } = repository
  const { now, caller } = request
  const db = app.database.connection()
  const [people, notables] = await Promise.all([listPeople(db, id, now), listActiveNotables(db, id, now)])
  const changes = [...people.map(({ changed_at }) => changed_at), ...notables.map((each) => each.updated_at)]
  if (changes.length === 0) return undefined
  const since = later(now, -DAYS * DAY_MS)
  const created = await countCreated(db, id, { since, now })
  const live_activities = people.reduce((sum, each) => sum + each.live_activities, 0)
  const isCounted = live_activities < 2 || caller.meter.units < UNITS_MAX
  return {
    owner,
    name,
    live_activities,
    collisions: isCounted ? await readCollisions(app, repository, { live_activities, request }) : null,
    active_notables: notables.length,
    high_notables: notables.filter((each) => notableWeight(each) === 2).length,
    people: people.length,
    logins: people
      .filter(({ is_login }) => is_login)
      .slice(0, LOGINS_MAX)
      .map((each) => each.name),
    created_by_day: Array.from({ length: DAYS }, (_, day) => created.get(DAYS - 1 - day) ?? 0),
    last_change_at: new Date(Math.max(...changes.map((each) => each.getTime()))).toISOString(),
  }
}

async function readCollisions(
  app: App,
  repository: VisibleRepository,
  { live_activities, request }: { live_activities: number; request: CallerRequest },
) {
  if (live_activities < 2) return { high: 0, medium: 0, low: 0 }
  const { owner, name } = repository
  const { now, caller } = request
  const opened = await openRepo(app, repository, { owner, name, now })
  return countCollisions({ ...opened, caller }, app.comparisons)
}
