/** Finds the records of a repository that overlap with a proposal; bounded, and never holding up other requests (contract §6). */
import {
  type ComparedActivity,
  listCompared,
  listMerged,
  type MergedActivity,
} from '../activities/live-store.ts'
import type { Budget } from '../base/budget.ts'
import { later } from '../base/clock.ts'
import type { RepoContext } from '../context/repo.ts'
import { listNotablesWith } from '../notables/store.ts'
import type { NotableRow } from '../notables/table.ts'
import { pairsBetween } from '../scope/path-set.ts'
import { compare, type Proposal, type ScopeMatch, storedScopeOf } from './compare.ts'
import { type Decision, decide } from './decide.ts'
import { type Expected, IDS_MAX, REUSE_MAX, type Severity } from './overlap.ts'
import { probesOf } from './probes.ts'
import type { Rules } from './rules.ts'
import {
  type Counts,
  countUndecided,
  type Decided,
  type Match,
  type Matches,
  type Search,
  type SearchResult,
  search,
  searchDecided,
} from './search.ts'
import { SEVERITIES } from './severity.ts'

const MERGED_MAX = 2_000
const REUSE_WITHIN_MS = 7 * 86_400_000
const PAGE = 250

/** A comparison on its way: of what with what, and what it may still spend. */
export interface Comparison {
  ctx: RepoContext
  /** The activities that are compared, where they exist; they are left out. */
  self: string[]
  branch: string | null
  base_branch: string | null
  rules: Rules
  proposal: Proposal
  /** Each kind has its own, so that neither keeps the other from being looked at. */
  budgets: { activities: Budget; notables: Budget }
  pause: () => Promise<void>
}

/** A record that overlaps. */
export interface Found<Record> {
  id: string
  severity: Severity
  match: ScopeMatch
  record: Record
}

export interface Findings {
  /** The most severe first, then the newest, as many as are listed. */
  activities: Ranked[]
  notables: Ranked[]
  total: number
  /** What is the work's own, or of its stack. */
  expected: Expected
  /** How many records were compared. */
  compared: Counts
  /** False when the bound was reached before the last record. */
  complete: boolean
}

export interface Ranked {
  id: string
  severity: Severity
}

/** The live activities that collide, and the notables that apply: one without any scope does everywhere. */
export async function findOverlaps(comparison: Comparison): Promise<Findings> {
  const { ctx, self, branch, base_branch, rules, proposal, budgets } = comparison
  const { now, repo } = ctx
  const probes = probesOf(proposal.paths, labelsOf(comparison))
  const asked: Search = { now, self, branch, base_branch, probes, ignored: rules.ignored }
  const first = await search(ctx.db, repo.id, asked)
  const decision = await decide(comparison, first.keys)
  const hits = decision.verdicts.filter(({ is_overlap }) => is_overlap)
  const { activities, notables, expected } =
    hits.length === 0 ? first : await withHits(comparison, asked, first, hits)
  const wasRead = proposal.complete && probes.complete
  const complete = wasRead && first.complete && decision.complete && budgets.activities.remaining >= 0
  return {
    activities: activities.top.map(ranked),
    notables: notables.top.map(ranked),
    total: activities.total + notables.total,
    expected,
    compared: await comparedOf(comparison, { asked, first, complete, decision }),
    complete,
  }
}

/** All that meets: what was sure, and what has the claims that were decided. Few records are joined here, and many by the database. */
async function withHits(
  { ctx, self }: Comparison,
  asked: Search,
  { activities, notables, expected }: SearchResult,
  decided: Decided[],
): Promise<Pick<SearchResult, 'activities' | 'notables' | 'expected'>> {
  if (isWhole(activities) && isWhole(notables)) {
    const excluded = [...self, ...expected.keys()]
    const more = await searchDecided(ctx.db, ctx.repo.id, { now: ctx.now, excluded, decided })
    if (isWhole(more.activities) && isWhole(more.notables))
      return {
        activities: joined(activities, more.activities),
        notables: joined(notables, more.notables),
        expected,
      }
  }
  return search(ctx.db, ctx.repo.id, { ...asked, decided })
}

function isWhole({ top, total }: Matches): boolean {
  return top.length === total
}

/** The union of two lists that hold all there is. */
function joined(one: Matches, other: Matches): Matches {
  const ranks = new Map(one.top.map(({ id, rank }) => [id, rank]))
  for (const { id, rank } of other.top) ranks.set(id, Math.max(rank, ranks.get(id) ?? 0))
  const all = [...ranks].map(([id, rank]) => ({ id, rank }))
  all.sort((a, b) => b.rank - a.rank || (a.id < b.id ? 1 : -1))
  return { top: all.slice(0, IDS_MAX), total: all.length }
}

function ranked({ id, rank }: Match): Ranked {
  return { id, severity: SEVERITIES[rank] as Severity }
}

/** The labels to look for, with whether the settings give them globs that meet the proposal's paths. */
function labelsOf({ proposal, rules, budgets }: Comparison): Map<string, boolean> {
  const labels = new Map([...proposal.labels.keys()].map((key) => [key, false]))
  for (const [key, globs] of rules.areas) {
    const meets =
      pairsBetween(proposal.paths, globs, { max: 1, budget: budgets.activities, ignore: rules.ignore })
        .length > 0
    if (meets) labels.set(key, true)
  }
  return labels
}

/** What the index holds was compared, but for what was left undecided. With an empty proposal no activity is, and with one that was read in part nothing is. */
async function comparedOf(
  { ctx, self, proposal }: Comparison,
  {
    asked,
    first: { live, expected },
    complete,
    decision,
  }: { asked: Search; first: SearchResult; complete: boolean; decision: Decision },
): Promise<Counts> {
  if (!proposal.complete) return { activities: 0, notables: 0 }
  const excluded = [...self, ...expected.keys()]
  const open = complete
    ? { activities: 0, notables: 0 }
    : await countUndecided(ctx.db, ctx.repo.id, { ...asked, excluded, decided: decision.verdicts })
  return {
    activities: proposal.emptiness === null ? live.activities - open.activities : 0,
    notables: live.notables - open.notables,
  }
}

/** A comparison with what may be spent on showing it. */
type Shown = Pick<Comparison, 'ctx' | 'proposal' | 'rules' | 'pause'> & { budget: Budget }

/** The activities as they are shown, in the order given; what was deleted meanwhile is left out. */
export async function showActivities(comparison: Shown, found: Ranked[]): Promise<Found<ComparedActivity>[]> {
  const { ctx } = comparison
  const records = found.length === 0 ? [] : await listCompared(ctx.db, ctx.repo.id, found.map(idOf))
  return show(comparison, found, records)
}

export async function showNotables(comparison: Shown, found: Ranked[]): Promise<Found<NotableRow>[]> {
  const { ctx } = comparison
  const records = found.length === 0 ? [] : await listNotablesWith(ctx.db, ctx.repo.id, found.map(idOf))
  return show(comparison, found, records)
}

/** What of the scopes meets is worked out again, one pair each: the index knows that they meet, not where. */
async function show<Row extends Parameters<typeof storedScopeOf>[0] & { id: string }>(
  { proposal, rules, budget, pause }: Shown,
  found: Ranked[],
  records: Row[],
): Promise<Found<Row>[]> {
  const byId = new Map(records.map((record) => [record.id, record]))
  const shown: Found<Row>[] = []
  for (const each of found) {
    const record = byId.get(each.id)
    if (record === undefined) continue
    const match = compare(proposal, storedScopeOf(record), { rules, max: 1, budget })
    shown.push({ ...each, record, match: match ?? { areas: [], paths: [] } })
    await pause()
  }
  return shown
}

function idOf({ id }: Ranked): string {
  return id
}

/** Work merged lately that touches the same, the last merged first: it is there to be pulled. */
export async function findMerged({ ctx, proposal, rules, budget, pause }: Shown): Promise<MergedActivity[]> {
  const since = later(ctx.now, -REUSE_WITHIN_MS)
  const merged: MergedActivity[] = []
  if (proposal.emptiness !== null) return merged
  let compared = 0
  const read = (after: MergedActivity | undefined) =>
    listMerged(ctx.db, ctx.repo.id, { since, after, limit: PAGE })
  for await (const activity of eachOf(read)) {
    if (merged.length === REUSE_MAX || compared === MERGED_MAX || budget.remaining < 0) return merged
    compared += 1
    if (compare(proposal, storedScopeOf(activity), { rules, max: 1, budget })) merged.push(activity)
    await pause()
  }
  return merged
}

/** Each record of a list that is read page by page. */
async function* eachOf<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  let after: Row | undefined
  for (;;) {
    const rows: Row[] = await read(after)
    yield* rows
    if (rows.length < PAGE) return
    after = rows.at(-1)
  }
}
