/** Finds the records that overlap with a proposal. The work is bounded and yields to other requests. */
import type { Budget } from '../../vocabulary/budget.ts'
import { type Expected, IDS_MAX } from '../../vocabulary/contract/overlap.ts'
import type { Glob } from '../../vocabulary/scope/glob.ts'
import { overlapsAny } from '../../vocabulary/scope/path-set.ts'
import { type Ranked, SEVERITIES } from '../../vocabulary/severity.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import { type ComparedActivity, listScopesOf, type MergedActivity } from '../activities/live-store.ts'
import { globOf, issuePlace, TRUNCATED } from '../claims-index/claim.ts'
import { listNotableScopes } from '../notables/store.ts'
import { probedPlaces } from '../numbers/taken.ts'
import { confirmVersion } from '../repositories/repo.ts'
import type { CheckedWork } from './checked-work.ts'
import { compare } from './compare.ts'
import { BY_LINES_MAX, rankByLines } from './found-by-lines.ts'
import { probesOf } from './probes.ts'
import {
  type Counts,
  countUndecided,
  type Decided,
  type Hit,
  type Key,
  type Search,
  type SearchResult,
  search,
} from './search.ts'
import type { SideVerdict } from './sides-by-lines.ts'

export interface Findings {
  /** The most severe first, then the newest, at most `IDS_MAX`. */
  activities: Ranked[]
  notables: Ranked[]
  /** Activities that share only noise, at most `IDS_MAX`. They are not collisions. */
  noise: Ranked[]
  /** The activities that were read with the search, by id. */
  records: ReadonlyMap<string, ComparedActivity>
  /** The activities that were merged last, newest first. */
  merged: MergedActivity[]
  /** The verdict about each activity with changed files, by its id. */
  side_verdicts: ReadonlyMap<string, SideVerdict>
  /** The number of all activities and notables that overlap. */
  total: number
  /** The own and stacked activities. */
  expected: Expected
  /** The activities that overlap but have another base branch, the newest first, at most `IDS_MAX`. */
  other_base: string[]
  /** The number of records that were compared. */
  compared: Counts
  /** The number of activities without a match whose changed files are not all known. Zero if the proposal has no paths. */
  cut: number
  /** False if a limit was reached before the last record. */
  complete: boolean
}

export interface FindLimits extends Pick<Search, 'records' | 'merged'> {
  /** If at most this many activities share a path or an area, their lines are not compared. Default: 0. */
  by_path_max?: number
  /** Activities that are known to collide, whose lines are not compared again. */
  colliding?: readonly Ranked[]
}

/**
 * The live activities that collide, and the notables that apply. A notable without a scope applies everywhere. `read`: see
 * `Search`.
 */
export async function findOverlaps(
  work: CheckedWork,
  { by_path_max = 0, colliding = [], ...read }: FindLimits,
): Promise<Findings> {
  const { ctx, self, branch, base_branch, rules, proposal, side, budgets, pause } = work
  const shared = [...probedPlaces(side.files, rules.numbers), ...[...side.issues].map(issuePlace)]
  const probes = probesOf(proposal.paths, labelsOf(work), shared)
  await pause()
  const isByLines = side.files.length > 0
  const limit = isByLines ? BY_LINES_MAX : IDS_MAX
  const input: Search = {
    now: ctx.now,
    self,
    branch,
    base_branch,
    probes,
    ignored: rules.ignored,
    limit,
    ...read,
  }
  const first = await search(ctx.db, ctx.repo.id, input)
  confirmVersion(ctx, first.repository_version)
  const decision = await decide(work, first.keys)
  const decided = decision.verdicts.filter(({ is_overlap }) => is_overlap)
  const { activities, notables, expected, other_base, records, cut } =
    decided.length === 0
      ? first
      : await search(ctx.db, ctx.repo.id, { ...input, merged: { ...input.merged, limit: 0 }, decided })
  const isProposalComplete = proposal.complete && probes.complete
  const known = new Set(colliding.map(({ id }) => id))
  const ranked = activities.top.map(rankedOf).filter(({ id }) => !known.has(id))
  const byLines = isByLines && ranked.length > by_path_max ? await rankByLines(work, ranked, records) : null
  const isRanked = byLines === null || (byLines.complete && activities.total <= BY_LINES_MAX)
  const complete =
    isProposalComplete && first.complete && decision.complete && isRanked && budgets.activities.remaining >= 0
  return {
    activities: (byLines?.ranked ?? ranked).slice(0, IDS_MAX),
    notables: notables.top.slice(0, IDS_MAX).map(rankedOf),
    noise: byLines?.noise.filter(({ id }) => byLines.side_verdicts.get(id)?.lines).slice(0, IDS_MAX) ?? [],
    records,
    merged: first.merged,
    side_verdicts: byLines?.side_verdicts ?? new Map(),
    total: activities.total - (byLines?.noise.length ?? 0) + notables.total,
    expected,
    other_base: other_base.slice(0, IDS_MAX),
    compared: await comparedOf(work, input, { first, decision, complete }),
    cut: proposal.paths.globs.length > 0 ? cut : 0,
    complete,
  }
}

/** The labels to search for, by `labelKey`. True if the settings give a label globs that overlap with the proposal's paths. */
function labelsOf({ proposal, rules, budgets }: CheckedWork): Map<string, boolean> {
  const labels = new Map([...proposal.labels.keys()].map((key) => [key, false]))
  const options = { budget: budgets.activities, ignore: rules.ignore }
  for (const [key, globs] of rules.areas) {
    if (overlapsAny(proposal.paths, globs, options)) labels.set(key, true)
  }
  return labels
}

interface KeyVerdict extends Decided {
  is_overlap: boolean
}

interface Decision {
  verdicts: KeyVerdict[]
  /** False if a budget was exhausted before the last key. */
  complete: boolean
}

type Bounded = CheckedWork & { budget: Budget }

/** The maximum number of scopes that are read at once, because each may be large. */
const SCOPES_AT_ONCE = 10

/** Decides the keys in their order, until the budget of their kind of records is exhausted. */
async function decide(work: CheckedWork, keys: Key[]): Promise<Decision> {
  const verdicts: KeyVerdict[] = []
  let complete = true
  for (const kind of ['activities', 'notables'] as const) {
    const bounded = { ...work, budget: work.budgets[kind] }
    const own = keys.filter((key) => key.is_notable === (kind === 'notables'))
    const byGlob = own.filter((key) => key.kind !== TRUNCATED)
    const byScope = own.filter((key) => key.kind === TRUNCATED)
    complete =
      (await decideGlobs(bounded, byGlob, verdicts)) &&
      (await decideScopes(bounded, byScope, verdicts)) &&
      complete
  }
  return { verdicts, complete }
}

/** Adds the verdicts of keys with a glob, each distinct glob compared once. False if the budget was exhausted. */
async function decideGlobs(
  { proposal, rules, budget, pause }: Bounded,
  keys: Key[],
  verdicts: KeyVerdict[],
): Promise<boolean> {
  const known = new Map<string, boolean>()
  for (const key of keys) {
    let is_overlap = key.glob === '' ? undefined : known.get(key.glob)
    if (is_overlap === undefined) {
      const glob = globOf(key, budget) as Glob
      is_overlap = overlapsAny(proposal.paths, [glob], { budget, ignore: rules.ignore })
      if (!is_overlap && budget.remaining < 0) return false
      known.set(key.glob, is_overlap)
      await pause()
    }
    verdicts.push({ ...key, is_overlap, by_path: true })
  }
  return true
}

/** Adds the verdicts of `TRUNCATED` keys, by the scopes of their records. False if the budget was exhausted. */
async function decideScopes(
  { ctx, proposal, rules, budget, pause }: Bounded,
  keys: Key[],
  verdicts: KeyVerdict[],
): Promise<boolean> {
  for (let from = 0; from < keys.length; from += SCOPES_AT_ONCE) {
    const page = keys.slice(from, from + SCOPES_AT_ONCE)
    const ids = page.map(({ record_id }) => record_id as string)
    const records = [
      ...(await listScopesOf(ctx.db, ctx.repo.id, ids)),
      ...(await listNotableScopes(ctx.db, ctx.repo.id, ids)),
    ]
    const scopes = new Map(records.map((record) => [record.id, storedScopeOf(record)]))
    for (const key of page) {
      const scope = scopes.get(key.record_id as string)
      const match = scope ? compare(proposal, scope, { rules, max: 1, budget }) : null
      if (!match && budget.remaining < 0) return false
      verdicts.push({ ...key, is_overlap: match !== null, by_path: (match?.paths.length ?? 0) > 0 })
      await pause()
    }
  }
  return true
}

function rankedOf({ id, rank }: Hit): Ranked {
  return { id, severity: SEVERITIES[rank] as Ranked['severity'] }
}

/**
 * The number of records that were compared: the live ones except those left undecided. An empty proposal is compared with
 * no activity. If the proposal itself was too large to read, nothing was compared.
 */
async function comparedOf(
  { ctx, self, proposal }: CheckedWork,
  input: Search,
  { first, decision, complete }: { first: SearchResult; decision: Decision; complete: boolean },
): Promise<Counts> {
  if (!proposal.complete) return { activities: 0, notables: 0 }
  const { live, expected } = first
  const excluded = [...self, ...expected.keys()]
  const undecided = complete
    ? { activities: 0, notables: 0 }
    : await countUndecided(ctx.db, ctx.repo.id, { ...input, excluded, decided: decision.verdicts })
  return {
    activities: proposal.emptiness === null ? live.activities - undecided.activities : 0,
    notables: live.notables - undecided.notables,
  }
}
