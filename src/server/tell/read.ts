/** Reads the facts for a decision: the search first, then, with the ledger locked, what others may change meanwhile. */

import { checkActivities } from '../../engine/check/check.ts'
import { findNextNumbers } from '../../engine/check/next-number.ts'
import type { Conclusion } from '../../engine/check/source.ts'
import { takenPlaces } from '../../engine/lines/taken.ts'
import type { Branches } from '../../engine/stacks.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import { isBot } from '../../vocabulary/names.ts'
import { checked, inDatabase } from '../compare/database-source.ts'
import { listLive } from '../records/activities/pull-request-store.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import { countByAuthor, findPullRequest, listOpen } from '../records/pull-requests/store.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { type Counterpart, describeCounterpart } from './counterparts.ts'
import {
  branchOf,
  branchSubject,
  groupOverlaps,
  type LastChange,
  lastDeclaration,
  lastPush,
  numberOf,
  pullRequestKey,
  pullRequestSubject,
  type SideKey,
  type Subject,
} from './sides.ts'
import { readPairs, type SidePairs } from './store.ts'
import { type Pairs, takenAfterMerge } from './transitions.ts'
import { type Counts, computeBudget, computeRoom, type Room } from './who-is-told.ts'

/** A side, and what the search found. Read before the ledger is locked. */
export interface Check {
  subject: Subject
  /** Null if the pull request has no live activity, so that nothing was compared. */
  conclusion: Conclusion | null
  /** Not all activities of the side were compared, so a pair that was not found may still exist. */
  is_partial: boolean
  /** What the budget leaves for the pull request. */
  room: Room
  /** The URL of the page that opens with this pull request selected; null if the service has no public address. */
  page_url: string | null
  /** By directory, the next number for those that a merge took. */
  next_numbers: ReadonlyMap<string, string>
}

export interface Facts extends Check {
  now: Date
  settings: Settings
  repo: Pick<RepoContext['repo'], 'id' | 'web_urls' | 'is_notified' | 'settings_layers'>
  counterparts: readonly Counterpart[]
  /** Null if no ledger is kept, or if nothing was compared. */
  ledger: LedgerFacts | null
}

/** Read in the transaction that has locked the ledger. */
interface LedgerFacts extends SidePairs {
  /** The other sides of open pairs that the check did not find, with their last change: now if a push put both into one stack. Null for a branch whose work has ended, and for work that got another base branch. */
  absent: ReadonlyMap<SideKey, LastChange | null>
}

/** Checks an open pull request; undefined if it is not open. `page_url`: see `Check`. */
export async function checkPullRequest(
  ctx: RepoContext,
  number: number,
  page_url: string | null,
): Promise<Check | undefined> {
  const { db, now, repo } = ctx
  const stored = await findPullRequest(db, repo.id, number)
  if (!stored?.is_open) return undefined
  // Events before the App was installed or comments were switched on do not make a first comment.
  const isEarlier = stored.own_event_at !== null && stored.own_event_at < repo.commenting_since
  const pr = isEarlier ? { ...stored, own_event_at: null } : stored
  const activities = await listLive(db, repo.id, { pr_number: number }, now)
  const subject = pullRequestSubject(pr, activities)
  const nothing = { subject, is_partial: false, page_url, room: 'any', next_numbers: new Map() } as const
  if (activities.length === 0) return { ...nothing, conclusion: null }
  const conclusion = await checked(ctx, (source) => checkActivities(source, activities))
  const hasComment = pr.comment_id !== null || pr.commented_at !== null
  const room = hasComment ? 'any' : computeRoom(await countPullRequests(ctx), ctx.settings.comment.budget)
  return { ...nothing, conclusion, room, next_numbers: await readNextNumbers(ctx, subject) }
}

/** The check of a branch without a pull request. `activities`: those that were compared, all live ones unless `is_partial`. */
export function branchCheck(
  branch: string,
  activities: readonly [ActivityRow, ...ActivityRow[]],
  { conclusion, is_partial }: { conclusion: Conclusion; is_partial: boolean },
): Check {
  const subject = branchSubject(branch, activities)
  return { subject, conclusion, is_partial, room: 'any', page_url: null, next_numbers: new Map() }
}

/** Adds to a check what else the decision depends on. `within`: that of `inLedger`. */
export async function readFacts(within: RepoContext, check: Check): Promise<Facts> {
  const { now, repo, settings } = within
  const { subject, conclusion } = check
  const { comment } = settings
  const isRecorded = conclusion !== null && comment.mode !== 'off'
  const own = isRecorded ? await readPairs(within, subject.key, subject.branch) : null
  const groups = groupOverlaps(conclusion?.collisions ?? [])
  const keys = [...groups.map(({ key }) => key ?? ''), ...(own?.pairs.keys() ?? [])]
  const others = await readOpen(within, keys)
  const counterparts = groups.map((group) =>
    describeCounterpart(group, others.get(group.key ?? ''), { subject, comment }),
  )
  const found = new Set(counterparts.filter(({ is_recorded }) => is_recorded).map(({ key }) => key))
  const sides = conclusion && { subject, found, others, ...conclusion }
  const ledger = own && sides && { ...own, absent: await readAbsent(within, own.pairs, sides) }
  return { ...check, now, settings, repo, counterparts, ledger }
}

type Others = ReadonlyMap<SideKey, PullRequestRow>

/** The open pull requests among the sides `keys`, by key. */
async function readOpen({ db, repo }: RepoContext, keys: SideKey[]): Promise<Others> {
  const numbers = [...new Set(keys.flatMap((key) => numberOf(key) ?? []))]
  const open = numbers.length === 0 ? [] : await listOpen(db, repo.id, { numbers })
  return new Map(open.map((each) => [pullRequestKey(each.number), each]))
}

interface Sides extends Pick<Conclusion, 'isApart'>, Pick<Check, 'subject'> {
  found: ReadonlySet<SideKey | null>
  others: Others
}

async function readAbsent(
  { db, now, repo }: RepoContext,
  pairs: Pairs,
  { subject, found, others, isApart }: Sides,
): Promise<LedgerFacts['absent']> {
  const absent = new Map<SideKey, LastChange | null>()
  const bases = subject.activities.map(({ base_branch }) => base_branch)
  const changeOf = (works: readonly Branches[], last: LastChange) => {
    if (!works.every(isApart)) return last
    return works.some(({ base_branch }) => bases.includes(base_branch)) ? { ...last, at: now } : null
  }
  for (const [key, { outcome, merged }] of pairs) {
    if (found.has(key) || outcome !== 'open' || merged !== null) continue
    const branch = branchOf(key)
    if (branch !== null) {
      const live = await listLive(db, repo.id, { branch }, now)
      // If the branch has a pull request now, the next recheck of the pull request moves the pair to its key.
      if (live.every(({ pr_number }) => pr_number === null))
        absent.set(key, changeOf(live, lastDeclaration(live)))
      continue
    }
    // A closed pull request is left out: the event that closed it ends its pairs.
    const other = others.get(key)
    if (other) absent.set(key, changeOf([other], lastPush(other)))
  }
  return absent
}

/** The next numbers in the directories in which a merge took a number of the side. Before the transaction, because GitHub is asked. */
async function readNextNumbers(
  ctx: RepoContext,
  { key, branch, activities, files }: Subject,
): Promise<Check['next_numbers']> {
  if (ctx.settings.comment.mode === 'off' || takenPlaces(files).length === 0) return new Map()
  const { pairs } = await readPairs(ctx, key, branch)
  const taken = [...pairs.values()].flatMap((row) => takenAfterMerge(row, key, files))
  return findNextNumbers(inDatabase(ctx), { base_branch: activities[0]?.base_branch ?? null, files }, taken)
}

/** The budget counts the pull requests that were opened in this period. */
const BUDGET_DAYS = 30

export async function readBudget(ctx: RepoContext): Promise<BudgetState> {
  return computeBudget(await countPullRequests(ctx), ctx.settings.comment.budget)
}

/** The pull requests by people that were opened in the last `BUDGET_DAYS`, and those of them with a comment. */
async function countPullRequests({ db, now, repo, settings }: RepoContext): Promise<Counts> {
  const all = await countByAuthor(db, repo.id, later(now, -BUDGET_DAYS * DAY_MS))
  const people = all.filter(
    ({ author, is_bot }) => !isBot({ login: author ?? '', is_of_type_bot: is_bot }, settings.comment),
  )
  const sum = (name: keyof Counts) => people.reduce((total, each) => total + each[name], 0)
  return { pull_requests: sum('pull_requests'), commented: sum('commented'), over_budget: sum('over_budget') }
}
