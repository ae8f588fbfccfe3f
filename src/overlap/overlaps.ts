/** All collisions among the live activities of a repository: the newest are compared with each other, each pair once (contract §6). */
import { createHash } from 'node:crypto'
import { listLive, listScopesOf, type OutlinedActivity } from '../activities/live-store.ts'
import type { RepoContext } from '../context/repo.ts'
import { EMPTY_SCOPE } from '../scope/scope.ts'
import { listLinks } from '../stacks/store.ts'
import type { BranchLink } from '../stacks/table.ts'
import { Collisions } from './collisions.ts'
import { type StoredScope, storedScopeOf } from './compare.ts'
import { COMPARED_MAX, OVERLAPS_MAX, type Overlap, type Overlaps } from './overlap.ts'
import { rulesOf } from './rules.ts'
import { Stacks } from './stacks.ts'
import { WorkBudget } from './work-budget.ts'

/** What one comparison may spend, in units of 10 to 50 ns: all of it takes about a fifth of a second. */
const UNITS_MAX = 6_000_000
/** The part of it that is kept for the examples of the collisions that are listed. */
const SHOWN_UNITS = 500_000
/** Live activities whose branches are read: a stack may lead through any of them. */
const LINKS_MAX = 10_000
/** Scopes that are read at once: so many, and so many bytes as they are stored. */
const PAGE = 250
const PAGE_BYTES = 262_144

/** Characters of a collision beside its labels and paths. */
const ITEM = 200

interface Comparison {
  items: Overlap[]
  total: number
  /** How many of the newest activities were compared with each other. */
  compared: number
  complete: boolean
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
export async function listOverlaps(ctx: RepoContext): Promise<Overlaps> {
  const { db, repo, now, signal, comparisons } = ctx
  const live = await listLive(db, repo.id, { now, limit: LINKS_MAX + 1 })
  const links = await listLinks(db, repo.id, LINKS_MAX)
  const { items, total, compared, complete } = await comparisons.get<Comparison>({
    key: versionOf(ctx, live, links),
    signal,
    compute: (cancelled) => comparisonOf(ctx, { live, links }, cancelled),
    sizeOf,
  })
  return {
    items,
    total,
    checked_against: { activities: compared, as_of: now.toISOString(), complete },
  }
}

/** Everything that the collisions depend on. */
function versionOf(
  { repo, settings, noise_attributes }: RepoContext,
  live: OutlinedActivity[],
  links: BranchLink[],
): string {
  const hash = createHash('sha256').update(JSON.stringify([repo.id, settings, noise_attributes, links]))
  for (const { id, version } of live) hash.update(`${id} ${version}\n`)
  return hash.digest('base64')
}

async function comparisonOf(
  ctx: RepoContext,
  { live, links }: { live: OutlinedActivity[]; links: BranchLink[] },
  signal: AbortSignal,
): Promise<Comparison> {
  const budget = new WorkBudget({ budget: ctx.meter.budget(UNITS_MAX), reserve: SHOWN_UNITS, signal })
  const rules = rulesOf(ctx.settings, ctx.noise_attributes)
  const collisions = new Collisions({ rules, stacks: new Stacks(live, links, budget), budget })
  let compared = 0
  for await (const [activity, scope] of scopesOf(ctx, live.slice(0, COMPARED_MAX))) {
    if (!(await budget.run(collisions.add(activity, scope)))) break
    compared += 1
  }
  budget.useReserve()
  const { items, is_whole } = await budget.run(collisions.list())
  const { total } = collisions
  const complete = compared === live.length && total <= OVERLAPS_MAX && is_whole
  return { items, total, compared, complete }
}

/** About how many characters a comparison is. */
function sizeOf({ items }: Comparison): number {
  let size = 1
  for (const { areas, paths } of items) {
    size += ITEM
    for (const area of areas) size += area.length
    for (const { globs, example } of paths) for (const text of globs) size += text.length + example.length
  }
  return size
}

/** Activities with their scopes; one that was deleted meanwhile has none. */
async function* scopesOf(
  { db, repo }: RepoContext,
  all: OutlinedActivity[],
): AsyncGenerator<[OutlinedActivity, StoredScope]> {
  for (const page of pagesOf(all)) {
    const ids = page.map(({ id }) => id)
    const scopes = new Map((await listScopesOf(db, repo.id, ids)).map((each) => [each.id, each]))
    for (const each of page) yield [each, storedScopeOf(scopes.get(each.id) ?? { scope: EMPTY_SCOPE })]
  }
}

function* pagesOf(all: OutlinedActivity[]): Generator<OutlinedActivity[]> {
  let page: OutlinedActivity[] = []
  let bytes = 0
  for (const each of all) {
    if (page.length === PAGE || bytes > PAGE_BYTES) {
      yield page
      page = []
      bytes = 0
    }
    page.push(each)
    bytes += each.scope_bytes
  }
  if (page.length > 0) yield page
}
