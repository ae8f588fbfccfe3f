/**
 * All collisions among the live activities of a repository, and the order in which to merge its pull requests: the newest
 * activities are compared with each other, each pair once (docs/contract/overlap.md#all-collisions).
 */
import type { Steps } from '../../vocabulary/clock.ts'
import type { PathPair } from '../../vocabulary/contract/overlap.ts'
import {
  COMPARED_MAX,
  type MergeOrder,
  OVERLAPS_MAX,
  type Overlap,
  type Overlaps,
  SAME_FILE_PAIRS_MAX,
  SHARED_PATHS_MAX,
  type SharedPath,
} from '../../vocabulary/contract/overlap-list.ts'
import { consequenceOf } from '../../vocabulary/finding.ts'
import { newestFirst } from '../../vocabulary/lists.ts'
import { takePairs } from '../../vocabulary/scope/path-set.ts'
import { sharedIssue } from '../kinds/kinds.ts'
import { scopeOf } from '../record.ts'
import { type RankedCollision, rankCollisions } from './collisions-by-lines.ts'
import { comparisonOf, type Rules, rulesOf, scopeFindings } from './compare.ts'
import { findPairs, type LiveWork, type Participant } from './live-pairs.ts'
import { pairOfFile, pairOfGlobs } from './matches.ts'
import { mergeOrder, openPullRequests } from './merge-order.ts'
import { isSameAuthor } from './sides.ts'
import type { CheckContext } from './source.ts'

export interface RepositoryOverlaps extends Pick<Overlaps, 'items' | 'total' | 'same_file'> {
  /** How many of the newest activities were compared with each other. */
  compared: number
  /** See `checked_against.reason`. */
  reason: string | null
  merge_order: MergeOrder
}

/** The live activities at the time of the context. */
export async function readLiveWork(
  { now, source }: Pick<CheckContext, 'now' | 'source'>,
  unread: LiveWork['unread'] = [],
): Promise<LiveWork> {
  const set = await source.liveSet()
  const at = now.getTime()
  const all = [...set.records()].filter(({ kind }) => kind === 'activity')
  const live = all.filter(({ ends_at }) => ends_at > at).sort(newestFirst)
  return { set, live, stacks: set.stacksAt(at), unread }
}

export async function computeOverlaps(ctx: CheckContext, work: LiveWork): Promise<RepositoryOverlaps> {
  const { set, live, stacks } = work
  const newRules = () => rulesOf(ctx.settings, ctx.repo.noise_attributes, ctx.caller.meter.deadline())
  const rules = newRules()
  const { participants, compared, pairs, undecided, ...found } = await findPairs(ctx, work, rules)
  const isShared = (name: string) => (set.paths.fileNamed(name)?.owners.length ?? 0) > 1
  const names = { has: (name: string) => isShared(name) && !rules.ignore(name, true) }
  const ranked = await rankCollisions(ctx, { pairs, participants, names, rules })
  const is_ranked = !rules.deadline.isOver
  const listed = ranked.collisions.slice(0, OVERLAPS_MAX)
  // What was found is shown, however long it took.
  const shown = newRules()
  const items = await shown.deadline.run(overlapItems(listed, participants, shown))
  const total = found.total - (pairs.length - ranked.collisions.length)
  const hasLines = pairs.some(({ by_lines }) => by_lines)
  const left_out = [...notCompared(compared, live.length), ...work.unread]
  const reason = reasonOf({
    left_out,
    total,
    listed: items.length,
    are_lines_compared: is_ranked && (!hasLines || pairs.length === found.total),
    are_paths_shown: !shown.deadline.isOver,
  })
  const idOf = (position: number) => (participants[position] as Participant).record.id
  const same_file = {
    total: ranked.same_file.length,
    pairs: ranked.same_file.slice(0, SAME_FILE_PAIRS_MAX).map(({ older, newer }) => [older, newer].map(idOf)),
  }
  const pulls = openPullRequests(participants, { ...ranked, undecided, stacks })
  const merge_order = mergeOrder(pulls, left_out)
  return { items, total, same_file, compared, reason, merge_order }
}

const EXHAUSTED = 'because the work budget was exhausted'

/** Empty if all live activities were compared. */
function notCompared(compared: number, live: number): string[] {
  const why = compared < Math.min(live, COMPARED_MAX) ? `, ${EXHAUSTED}` : ''
  return compared < live ? [`Only the newest ${compared} live activities were compared${why}.`] : []
}

/** What was left out and why; null if nothing was. */
function reasonOf(found: {
  left_out: readonly string[]
  total: number
  listed: number
  are_lines_compared: boolean
  are_paths_shown: boolean
}): string | null {
  const { left_out, total, listed, are_lines_compared, are_paths_shown } = found
  const sentences = [...left_out]
  if (!are_lines_compared)
    sentences.push(`Some collisions are ranked by their paths and not by their lines, ${EXHAUSTED}.`)
  if (total > listed) sentences.push(`Only ${listed} of ${total} collisions are listed.`)
  if (!are_paths_shown) sentences.push(`Some shared paths are not shown, ${EXHAUSTED}.`)
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** The answer to a list of all collisions. */
export function overlapsOf(
  { items, total, same_file, compared: activities, reason }: RepositoryOverlaps,
  now: Date,
): Overlaps {
  return {
    items,
    total,
    same_file,
    checked_against: { activities, as_of: now.toISOString(), complete: reason === null, reason },
  }
}

/** If the deadline is over, examples of shared paths are missing. */
export function* overlapItems(
  collisions: readonly RankedCollision[],
  participants: readonly Participant[],
  rules: Rules,
): Steps<Overlap[]> {
  const items: Overlap[] = []
  for (const { comparison, paths: declared, ...pair } of collisions) {
    yield
    const [older, newer] = [participants[pair.older], participants[pair.newer]] as [Participant, Participant]
    const shared = comparisonOf(older.proposal, scopeOf(newer.record), rules)
    const { areas } = shared
    const files = comparison?.files ?? []
    const globs = declared ?? (yield* takePairs(shared.pairs, SHARED_PATHS_MAX))
    const findings = comparison?.findings ?? [...sharedIssue(older, newer), ...scopeFindings(globs, areas)]
    items.push({
      activity_ids: [older.record.id, newer.record.id],
      severity: pair.severity,
      consequence: consequenceOf(findings) ?? 'possible',
      areas,
      paths: [...files.map(pairOfFile), ...globs.map(pairOfGlobs)].slice(0, SHARED_PATHS_MAX).map(placeOf),
      findings,
      same_author: isSameAuthor(older.author, newer.author),
      cut: comparison?.cut ?? false,
    })
  }
  return items
}

function placeOf({ yours, theirs, your_lines, their_lines, ...shared }: PathPair): SharedPath {
  const isUnknown = your_lines === null && their_lines === null
  return { globs: [yours, theirs], ...shared, line_ranges: isUnknown ? null : [your_lines, their_lines] }
}
