/** Finds, among the records of a repository, those that overlap with a proposal; bounded, and never holding up other requests (contract §6). */
import { setImmediate } from 'node:timers/promises'
import { type ComparedActivity, listLive, listMerged, type MergedActivity } from '../activities/live-store.ts'
import { later, stopwatch } from '../base/clock.ts'
import type { RepoContext } from '../context/repo.ts'
import { listApplying } from '../notables/store.ts'
import type { NotableRow } from '../notables/table.ts'
import type { Budget } from '../scope/intersect.ts'
import { compare, type Proposal, type Rules, type ScopeMatch, storedScopeOf } from './compare.ts'
import { IDS_MAX, REUSE_MAX, type Severity } from './overlap.ts'
import { collisionSeverity, notableSeverity, Ranking } from './severity.ts'
import type { Expected } from './stack.ts'

/** Records of each kind that one check compares at most. */
const ACTIVITIES_MAX = 20_000
const NOTABLES_MAX = 5_000
const MERGED_MAX = 2_000
const REUSE_WITHIN_MS = 7 * 86_400_000
const PAGE = 250
/** After this much work without a pause, other requests get their turn. */
const TURN_MS = 5

/** A comparison on its way: of what with what, and what it may still spend. */
export interface Comparison {
  ctx: RepoContext
  /** The activities that are compared, where they exist; they are left out. */
  self: Set<string>
  rules: Rules
  proposal: Proposal
  expected: Expected
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

export interface Findings<Record> {
  found: Ranking<Found<Record>>
  /** How many records were compared. */
  compared: number
  /** False when the bound was reached before the last record. */
  complete: boolean
}

/** The live activities that collide. The dangerous ones are compared first, so that a bound cuts off what matters least. */
export async function findCollisions(comparison: Comparison): Promise<Findings<ComparedActivity>> {
  const { ctx, proposal, rules, expected } = comparison
  const budget = comparison.budgets.activities
  const found = new Ranking<Found<ComparedActivity>>(IDS_MAX)
  let compared = 0
  if (proposal.emptiness !== null) return { found, compared, complete: budget.remaining >= 0 }
  for (const dangerous of [true, false]) {
    const read = (after: ComparedActivity | undefined) =>
      listLive(ctx.db, ctx.repo.id, { now: ctx.now, dangerous, after: after?.id ?? null, limit: PAGE })
    for await (const record of eachOf(read)) {
      if (comparison.self.has(record.id)) continue
      if (compared >= ACTIVITIES_MAX || budget.remaining < 0) return { found, compared, complete: false }
      const isExpected = expected.has(record.id)
      const match = isExpected ? null : compare(proposal, storedScopeOf(record), { rules, max: 1, budget })
      await comparison.pause()
      if (!match && budget.remaining < 0) return { found, compared, complete: false }
      compared += 1
      if (!match) continue
      const severity = collisionSeverity(match.paths.length > 0 ? 'path' : 'area', record)
      found.add({ id: record.id, severity, match, record })
    }
  }
  return { found, compared, complete: budget.remaining >= 0 }
}

/** The active notables that apply to the proposal, the grave ones compared first. One without any scope applies everywhere. */
export async function findNotables(comparison: Comparison): Promise<Findings<NotableRow>> {
  const { ctx, proposal, rules } = comparison
  const budget = comparison.budgets.notables
  const found = new Ranking<Found<NotableRow>>(IDS_MAX)
  let compared = 0
  for (const grave of [true, false]) {
    const read = (after: NotableRow | undefined) =>
      listApplying(ctx.db, ctx.repo.id, { now: ctx.now, grave, after: after?.id ?? null, limit: PAGE })
    for await (const record of eachOf(read)) {
      if (compared >= NOTABLES_MAX || budget.remaining < 0) return { found, compared, complete: false }
      const isEverywhere = record.scope.areas.length + record.scope.paths.length === 0
      const match = isEverywhere
        ? { areas: [], paths: [] }
        : compare(proposal, storedScopeOf(record), { rules, max: 1, budget })
      await comparison.pause()
      if (!match && budget.remaining < 0) return { found, compared, complete: false }
      compared += 1
      if (match) found.add({ id: record.id, severity: notableSeverity(record), match, record })
    }
  }
  return { found, compared, complete: budget.remaining >= 0 }
}

/** Work merged lately that touches the same, the last merged first: it is there to be pulled. */
export async function findMerged(comparison: Comparison): Promise<MergedActivity[]> {
  const { ctx, proposal, rules } = comparison
  const budget = comparison.budgets.activities
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
    await comparison.pause()
  }
  return merged
}

/** A function that lets other requests have their turn, when the last pause is long enough ago. */
export function pauses(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < TURN_MS) return
    await setImmediate()
    elapsed = stopwatch()
  }
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
