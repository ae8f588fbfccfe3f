/** The overlap check: compares a proposal, or existing activities, with the live activities and notables, and with merged work (docs/contract/overlap.md#checks). */

import { DAY_MS, later, type Steps } from '../../vocabulary/clock.ts'
import { type CheckOverlap, REUSE_MAX } from '../../vocabulary/contract/overlap.ts'
import { EMPTY_ACTIVITY_SCOPE } from '../../vocabulary/contract/scope.ts'
import { newestFirst } from '../../vocabulary/lists.ts'
import { takePairs } from '../../vocabulary/scope/path-set.ts'
import type { Author } from '../kinds/kinds.ts'
import { isMadeAgain, newLinesOf } from '../lines/added-lines.ts'
import { digestChanges } from '../lines/change.ts'
import type { StoredScope } from '../record.ts'
import {
  type ComparedActivity,
  distinctNames,
  type MergedActivity,
  storedScopeOf,
} from '../records/activity.ts'
import { comparisonOf, type Proposal, proposalOf, type Rules, rulesOf } from './compare.ts'
import { findOverlaps } from './find.ts'
import { readMatches } from './matches.ts'
import { isSameAuthor, joinSides, loginAuthor, readOwnFiles, sideOf } from './sides.ts'
import type { CheckContext, CheckedWork, CheckInput, Conclusion, DoneBy, DoneWork } from './source.ts'

/** The maximum number of live activities of a branch whose scopes replace a missing scope, and of the characters of their paths. */
const OWN_SCOPES_MAX = 200
const OWN_LENGTH_MAX = 2_000_000

/** Checks a proposal. Creates nothing. */
export async function checkProposal(ctx: CheckContext, input: CheckOverlap): Promise<Conclusion> {
  const { branch, activity_id, tags, scope = EMPTY_ACTIVITY_SCOPE } = input
  const { areas, paths, changes } = scope
  // Without a scope, the scopes declared on the branch are checked, with or without extra labels.
  const isUnscoped = areas.length + paths.length + changes.length === 0
  const rows = await activitiesOn(ctx, branch, [])
  const known = rows.find((each) => each.base_branch !== null)
  const base_branch = input.base_branch ?? known?.base_branch ?? null
  const files = (await digestChanges(ctx.caller.meter, changes, ctx.source.hasher)).map((file) => ({
    ...file,
    origin: 'declared' as const,
    base_sha: input.base_sha,
  }))
  const scopes = [
    { areas, paths, is_literal: false, files: distinctNames(files), taken: [] },
    storedScopeOf({ scope: { areas: tags, paths: [] } }),
    ...(isUnscoped ? rows.map(storedScopeOf) : []),
  ]
  const own = isUnscoped
    ? ownOf(ctx, rows)
    : {
        // The issues of the branch are those of the work, whatever of it is checked.
        side: { ...joinSides(rows.map((row) => sideOf(row, ctx))), files },
        readFiles: async () => files,
        cut: 0,
        findAuthor: () => callerOf(ctx),
      }
  const pull_requests = new Set(rows.flatMap(({ pr_number }) => pr_number ?? []))
  const is_made_again = rows.some(({ title }) => isMadeAgain(title))
  const self = activity_id === null ? [] : [activity_id]
  const subject = { self, branch, pull_requests, base_branch, is_made_again }
  return check(ctx, { ...subject, scopes, ...own })
}

async function callerOf(ctx: CheckContext): Promise<Author> {
  const identity = await ctx.caller.findIdentity()
  const login = identity?.login ?? null
  return loginAuthor(login, ctx.settings, { actor: login ?? '', assignee: null })
}

/** Checks the activities of one branch or pull request, at least one, together. The result leaves them out. */
export async function checkActivities(
  ctx: CheckContext,
  activities: ComparedActivity[],
): Promise<Conclusion> {
  const [{ branch, base_branch }] = activities as [ComparedActivity]
  const self = activities.map((each) => each.id)
  const pull_requests = new Set(activities.flatMap(({ pr_number }) => pr_number ?? []))
  const is_made_again = activities.some(({ title }) => isMadeAgain(title))
  const subject = { self, branch, pull_requests, base_branch, is_made_again }
  const scopes = activities.map(storedScopeOf)
  if (!scopes.every(isEmpty)) return check(ctx, { ...subject, scopes, ...ownOf(ctx, activities) })
  const others = await activitiesOn(ctx, branch, self)
  const own = ownOf(ctx, others)
  const side = joinSides([...activities.map((row) => sideOf(row, ctx)), own.side])
  return check(ctx, { ...subject, scopes: others.map(storedScopeOf), ...own, side })
}

/** The side of activities. The digests of its files are read when they are needed. */
function ownOf(
  ctx: CheckContext,
  activities: ComparedActivity[],
): Pick<CheckInput, 'side' | 'readFiles' | 'cut'> {
  const sides = activities.map((row) => ({ id: row.id, side: sideOf(row, ctx) }))
  return {
    side: joinSides(sides.map(({ side }) => side)),
    readFiles: (deadline) => readOwnFiles(ctx, sides, deadline),
    cut: activities.filter(({ changes_complete }) => !changes_complete).length,
  }
}

function isEmpty({ areas, paths, files }: StoredScope): boolean {
  return areas.length + paths.length + files.length === 0
}

async function check(ctx: CheckContext, input: CheckInput): Promise<Conclusion> {
  const work = await begin(ctx, input)
  const { activities, notables, comparisons, ...found } = await findOverlaps(work)
  const merged = await compareMerged(work)
  const matches = await readMatches(await withAuthor(work, activities), { activities, notables, comparisons })
  const { self, branch, proposal } = work
  const { emptiness } = proposal
  return { self, branch, emptiness, ...found, ...matches, merged, done_by: await readDone(work) }
}

async function readDone(work: CheckedWork): Promise<DoneWork | null> {
  const done_by = work.is_made_again ? null : await readDoneBy(work)
  if (done_by === null) return null
  const { side, ctx } = await withAuthor(work, [done_by])
  const author = loginAuthor(done_by.author, ctx.settings, { actor: null, assignee: null })
  return { ...done_by, same_author: isSameAuthor(side.author, author) }
}

async function withAuthor(work: CheckedWork, found: readonly unknown[]): Promise<CheckedWork> {
  if (!work.findAuthor || found.length === 0) return work
  return { ...work, side: { ...work.side, author: await work.findAuthor() } }
}

async function begin(ctx: CheckContext, input: CheckInput): Promise<CheckedWork> {
  const deadline = ctx.caller.meter.deadline()
  const rules = rulesOf(ctx.settings, ctx.repo.noise_attributes, deadline)
  const proposal = await deadline.run(proposalOf(input.scopes, rules))
  let files: ReturnType<CheckInput['readFiles']> | undefined
  const readFiles = () => {
    files ??= input.readFiles(deadline)
    return files
  }
  return { ctx, ...input, readFiles, rules, proposal }
}

/** The live activities of a branch except `self`, the newest first. Their scopes replace a missing scope. */
async function activitiesOn(
  ctx: CheckContext,
  branch: string | null,
  self: string[],
): Promise<ComparedActivity[]> {
  if (branch === null) return []
  const { source, now } = ctx
  const live = (await source.liveSet()).onBranch(branch, now.getTime())
  const newest: string[] = []
  let length = 0
  for (const { id, paths } of live.sort(newestFirst)) {
    for (const path of paths) length += path.source.length
    if (newest.length === OWN_SCOPES_MAX || (newest.length > 0 && length > OWN_LENGTH_MAX)) break
    newest.push(id)
  }
  const others = newest.filter((id) => !self.includes(id))
  if (others.length === 0) return []
  return (await source.activities(others)).sort(newestFirst)
}

/** How many are compared at most, their maximum age, and how many are read at once. */
const COMPARED_MAX = 2_000
const MERGED_WITHIN_MS = 7 * DAY_MS
const MERGED_PAGE = 250

/** Recently merged activities that share something with the proposal, the last merged first. */
async function compareMerged({ ctx, proposal, rules }: CheckedWork): Promise<MergedActivity[]> {
  const merged: MergedActivity[] = []
  if (proposal.emptiness !== null) return merged
  const { deadline } = rules
  const since = later(ctx.now, -MERGED_WITHIN_MS)
  let before: MergedActivity | undefined
  for (let compared = 0; compared < COMPARED_MAX; compared += MERGED_PAGE) {
    const page = await ctx.source.merged({ since, before, limit: MERGED_PAGE })
    merged.push(...(await deadline.run(sharing(proposal, page, rules))))
    before = page.at(-1)
    if (page.length < MERGED_PAGE || merged.length >= REUSE_MAX || deadline.isOver) break
  }
  return merged.slice(0, REUSE_MAX)
}

function* sharing(
  proposal: Proposal,
  page: readonly MergedActivity[],
  rules: Rules,
): Steps<MergedActivity[]> {
  const shared: MergedActivity[] = []
  for (const each of page) {
    const { areas, pairs } = comparisonOf(proposal, storedScopeOf(each), rules)
    if (areas.length > 0 || (yield* takePairs(pairs, 1)).length > 0) shared.push(each)
    yield
  }
  return shared
}

/** Null if there is none. Reads nothing if the work changes no files. */
async function readDoneBy(work: CheckedWork): Promise<DoneBy | null> {
  const { ctx, proposal, rules, side, branch, base_branch, pull_requests, readFiles } = work
  if (!ctx.repo.is_tracked || proposal.emptiness !== null || side.files.length === 0) return null
  const lines = await rules.deadline.run(newLinesOf(await readFiles(rules.deadline), rules.noise))
  return ctx.source.doneBy(lines, { branch, base_branch, numbers: [...pull_requests] })
}
