/** All collisions among the live activities of a repository: the newest are compared with each other, each pair once (contract §6 and §11). */
import { createHash } from 'node:crypto'
import {
  listLive,
  listScopesOf,
  type OutlinedActivity,
  type SidedActivity,
} from '../activities/live-store.ts'
import type { RepoContext } from '../context/repo.ts'
import { listLinks } from '../stacks/store.ts'
import type { BranchLink } from '../stacks/table.ts'
import { Collisions, type Participant } from './collisions.ts'
import { storedScopeOf } from './compare.ts'
import { judgeCollisions } from './judged-collisions.ts'
import { overlapItems } from './overlap-items.ts'
import { COMPARED_MAX, OVERLAPS_MAX, type Overlap, type Overlaps } from './overlap-list.ts'
import { rulesOf } from './rules.ts'
import { intentOf } from './side.ts'
import { Stacks } from './stacks.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * The work budget of comparing the paths, in cost units of 10 to 50 ns: about a fifth of a second. Comparing lines has its
 * own budget.
 */
const UNITS_MAX = 6_000_000
/** The part of the budget that is reserved for the examples of the listed collisions. */
const SHOWN_UNITS = 500_000
/** The maximum number of live activities whose branches are read, because a stack may lead through any of them. */
const LINKS_MAX = 10_000
/** The maximum number of scopes that are read at once, and of their stored bytes. */
const PAGE = 250
const PAGE_BYTES = 262_144

/** The size of a collision in characters, without its labels and paths. */
const ITEM = 300

interface Comparison {
  items: Overlap[]
  total: number
  /** How many of the newest activities were compared with each other. */
  compared: number
  /** See `checked_against.reason`. */
  reason: string | null
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
export async function listOverlaps(ctx: RepoContext): Promise<Overlaps> {
  const { db, repo, now, signal, comparisons } = ctx
  const live = await listLive(db, repo.id, { now, limit: LINKS_MAX + 1 })
  const links = await listLinks(db, repo.id, LINKS_MAX)
  const { items, total, compared, reason } = await comparisons.get<Comparison>({
    key: versionOf(ctx, live, links),
    signal,
    compute: (cancelled) => comparisonOf(ctx, { live, links }, cancelled),
    sizeOf,
  })
  return {
    items,
    total,
    checked_against: { activities: compared, as_of: now.toISOString(), complete: reason === null, reason },
  }
}

/** A text that changes whenever the collisions may change. */
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
  const participants: Participant[] = []
  let compared = 0
  for await (const [activity, row] of rowsOf(ctx, live.slice(0, COMPARED_MAX))) {
    if (row) {
      const participant = { ...activity, ...intentOf(row, ctx) }
      participants.push(participant)
      if (!(await budget.run(collisions.add(participant, storedScopeOf(row))))) break
    }
    compared += 1
  }
  const [pairs, names] = [collisions.pairs(), collisions.sharedFiles()]
  const judged = await judgeCollisions(ctx, { pairs, participants, names, rules }, signal)
  budget.useReserve()
  const items = await budget.run(overlapItems(judged.top, participants, budget))
  const total = collisions.total - judged.noise
  const are_lines_compared = judged.complete && (names.size === 0 || pairs.length === collisions.total)
  const are_paths_shown = !budget.isExhausted
  const reason = reasonOf({ live: live.length, compared, total, are_lines_compared, are_paths_shown })
  return { items, total, compared, reason }
}

/** What was left out and why; null if nothing was. */
function reasonOf(found: {
  live: number
  compared: number
  total: number
  are_lines_compared: boolean
  are_paths_shown: boolean
}): string | null {
  const { live, compared, total, are_lines_compared, are_paths_shown } = found
  const exhausted = 'because the work budget was exhausted'
  const sentences: string[] = []
  if (compared < Math.min(live, COMPARED_MAX))
    sentences.push(`Only the newest ${compared} live activities were compared, ${exhausted}.`)
  else if (compared < live) sentences.push(`Only the newest ${compared} live activities were compared.`)
  if (!are_lines_compared)
    sentences.push(`Some collisions are ranked by their paths and not by their lines, ${exhausted}.`)
  if (total > OVERLAPS_MAX) sentences.push(`Only ${OVERLAPS_MAX} of ${total} collisions are listed.`)
  if (!are_paths_shown) sentences.push(`Some shared paths are not shown, ${exhausted}.`)
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** The approximate size of a comparison in characters. */
function sizeOf({ items }: Comparison): number {
  let size = 1
  for (const { areas, paths } of items) {
    size += ITEM
    for (const area of areas) size += area.length
    for (const { globs, example } of paths) for (const text of globs) size += text.length + example.length
  }
  return size
}

/** Activities with their rows; null for one that was deleted meanwhile. */
async function* rowsOf(
  { db, repo }: RepoContext,
  all: OutlinedActivity[],
): AsyncGenerator<[OutlinedActivity, SidedActivity | null]> {
  for (const page of pagesOf(all)) {
    const ids = page.map(({ id }) => id)
    const rows = new Map((await listScopesOf(db, repo.id, ids)).map((each) => [each.id, each]))
    for (const each of page) yield [each, rows.get(each.id) ?? null]
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
