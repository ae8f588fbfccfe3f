/** The pairs of live activities that share something: each is compared with those before it, the newest first. */

import { COMPARED_MAX } from '../../vocabulary/contract/overlap-list.ts'
import { pagesOf } from '../../vocabulary/lists.ts'
import { byRank, higher, Ranking, type Severity } from '../../vocabulary/severity.ts'
import type { Intent } from '../kinds/kinds.ts'
import type { LiveSet } from '../live-set.ts'
import { type LiveRecord, scopeOf } from '../record.ts'
import { type ComparedActivity, storedScopeOf } from '../records/activity.ts'
import type { Stacks } from '../stacks.ts'
import { type Proposal, proposalOf, type Rules } from './compare.ts'
import { nearProposal, severityNear } from './find.ts'
import { intentOf } from './sides.ts'
import type { CheckContext } from './source.ts'

export interface LiveWork {
  set: LiveSet
  /** The newest first. */
  live: LiveRecord[]
  stacks: Stacks<LiveRecord>
  /** A sentence for each kind of live work that is not known yet. */
  unread: readonly string[]
}

/** An activity that is compared. */
export interface Participant extends Intent {
  record: LiveRecord
  proposal: Proposal
  pull_request: LinkedPullRequest | null
}

export interface LinkedPullRequest {
  number: number
  url: string
  /** The activity was created from the pull request. */
  is_own: boolean
  /** False if the files that it changes are not known, or only a part of them. */
  is_known: boolean
  /** Declared paths are compared, too, not only its changed files. */
  has_paths: boolean
}

/** Two activities that share something, by their positions: the newest is 0. */
export interface Pair {
  newer: number
  older: number
  /** By what they share. A check of either may say another one; this is the higher one. */
  severity: Severity
  /** Both have changed files, so the pair can be compared by lines. */
  by_lines: boolean
}

/** The most severe first, then those of the newest activities. */
export function bySeverityAndAge(a: Pair, b: Pair): number {
  return byRank(a, b) || a.newer - b.newer || a.older - b.older
}

/** The maximum number of pairs that are kept; the others are counted. */
const PAIRS_MAX = 5_000
/** The maximum number of scopes that are read at once, and of their bytes, approximately. */
const PAGES = { max: 250, size_max: 262_144, sizeOf: ({ paths }: LiveRecord) => 500 + 100 * paths.length }

export interface LivePairs {
  participants: readonly Participant[]
  /** How many of the newest activities were compared with all newer ones. */
  compared: number
  pairs: Pair[]
  /** The number of all pairs, including those that are not kept. */
  total: number
  /** The positions of the activities that may have a pair that is not in `pairs`. */
  undecided: Set<number>
}

/** Compares the newest activities until the deadline. */
export async function findPairs(ctx: CheckContext, work: LiveWork, rules: Rules): Promise<LivePairs> {
  const { deadline } = rules
  const added: Added = {
    participants: [],
    positions: new Map(),
    ranking: new Ranking(PAIRS_MAX, bySeverityAndAge),
  }
  const counts: number[] = []
  let compared = 0
  for (const page of pagesOf(work.live.slice(0, COMPARED_MAX), PAGES)) {
    if (deadline.isOver) break
    const rows = new Map((await ctx.source.activities(page.map(({ id }) => id))).map((row) => [row.id, row]))
    for (const record of page) {
      const row = rows.get(record.id)
      // It may have been deleted meanwhile.
      if (row)
        for (const { newer, older } of await addOne(ctx, { record, row, work, rules }, added)) {
          counts[newer] = (counts[newer] ?? 0) + 1
          counts[older] = (counts[older] ?? 0) + 1
        }
      if (deadline.isOver) break
      compared += 1
    }
  }
  const { participants, ranking } = added
  const pairs = ranking.top()
  for (const { newer, older } of pairs)
    for (const position of [newer, older]) counts[position] = (counts[position] as number) - 1
  const undecided = new Set([...counts.keys()].filter((position) => (counts[position] ?? 0) > 0))
  // The activity at which the deadline was over was not compared with all before it.
  if (deadline.isOver) undecided.add(participants.length - 1)
  return { participants, compared, pairs, total: ranking.total, undecided }
}

interface Added {
  participants: Participant[]
  /** By id, because a change of an activity replaces its record. */
  positions: Map<string, number>
  ranking: Ranking<Pair>
}

/** Adds an activity and its pairs with those before it. */
async function addOne(
  ctx: CheckContext,
  { record, row, work, rules }: { record: LiveRecord; row: ComparedActivity; work: LiveWork; rules: Rules },
  { participants, positions, ranking }: Added,
): Promise<Pair[]> {
  const { deadline } = rules
  const proposal = await deadline.run(proposalOf([scopeOf(record)], rules))
  const older =
    participants.push({ record, proposal, pull_request: linkedPullRequest(row), ...intentOf(row, ctx) }) - 1
  const options = { proposal, taken: () => record.taken, rules }
  const near = await deadline.run(nearProposal(work.set, options, ({ id }) => positions.has(id)))
  const pairs: Pair[] = []
  for (const [{ id }, by] of near) {
    const newer = positions.get(id)
    if (newer === undefined) continue
    const other = (participants[newer] as Participant).record
    if (work.stacks.areApart(record, other)) continue
    const severity = higher(severityNear(record, by), severityNear(other, by))
    pairs.push({ newer, older, severity, by_lines: record.has_files && other.has_files })
  }
  for (const pair of pairs) ranking.add(pair)
  positions.set(record.id, older)
  return pairs
}

function linkedPullRequest(row: ComparedActivity): LinkedPullRequest | null {
  const { pr_number, pr_url, pushed_files, changes_complete, source } = row
  if (pr_url === null) return null
  const { paths, files } = storedScopeOf(row)
  const isDeclared = paths.length + files.length > 0
  return {
    number: pr_number as number,
    url: pr_url,
    is_own: source === 'pull_request',
    is_known: pushed_files === null ? isDeclared : changes_complete,
    has_paths: paths.length > 0,
  }
}
