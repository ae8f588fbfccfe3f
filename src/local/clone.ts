/** Everything that is live in a clone, at one moment: declared records, working trees, branches, fetched pull requests. */
import { LiveSet } from '../engine/live-set.ts'
import { outlineOf } from '../engine/records/activity.ts'
import * as notable from '../engine/records/notable.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { HOUR_MS, MINUTE_MS } from '../vocabulary/clock.ts'
import type { LookedAt } from '../vocabulary/contract/overlap.ts'
import { count, minuteText } from '../vocabulary/text.ts'
import { type BranchWork, listBranches, readBranchWork, readCommitted } from './branches.ts'
import { type CloneOptions, type MergedOptions, mappedAtOnce } from './clone-options.ts'
import { declaredNow } from './declared-work.ts'
import type { Fetched } from './pull-requests.ts'
import type { Records } from './record-files.ts'
import { readCommits, type Since, type Stand, sinceFork, withoutNew } from './stacks.ts'
import { listTrees, readTree, readTreeSince, type WorkingTreeOf, withoutCopies } from './trees.ts'
import { diffOf, type LocalWork, withFiles } from './work.ts'
import { findLeft } from './work-left.ts'

export interface Clone {
  work: ReadonlyMap<string, LocalWork>
  notables: ReadonlyMap<string, notable.StoredNotable>
  set: LiveSet
  /** See `Source.since`. */
  since: Since
  /** The heads of the base branch. */
  merged: readonly string[]
  looked_at: LookedAt
}

/** A record that its session renewed so recently has the files of its working tree. */
const FRESH_MS = 5 * MINUTE_MS

const SHALLOW = '; in a shallow clone, run git fetch --unshallow'

/** Reads the clone. `is_with_own`: the changes of the working tree that asks count as work as well. */
export async function readClone(
  records: Records,
  given: CloneOptions,
  { is_with_own = false }: { is_with_own?: boolean } = {},
): Promise<Clone> {
  const { now, root, git, base, remote } = given
  const [allTrees, merged] = await Promise.all([listTrees(git, root), git.commitsOf(base, remote)])
  const trees = allTrees ?? []
  const declared = (await declaredNow(records.work, trees, given)).map((each) =>
    withoutCopiedFiles(each, root),
  )
  const are_pulls_fetched = records.fetched !== null
  const newest = await listBranches(given, { merged, checked_out: trees, are_pulls_fetched })
  const listed = newest?.branches
  const tips = listed?.map(({ name, sha }) => ({ branch: name, head: sha })) ?? []
  const commits = await readCommits(git, [...trees, ...tips], merged[0])
  const options = { ...given, merged, commits }
  const checked_out = new Set(trees.map(({ branch }) => branch))
  const branches = listed?.filter(({ names }) => !names.some((name) => checked_out.has(name))) ?? []
  const others = trees.filter((tree) => is_with_own || tree.root !== root)
  const live = declared.filter((each) => isLive(each.activity.status))
  const ofTrees = await mappedAtOnce(others, (tree) => workOfTree(tree, live, options))
  const derived = ofTrees.flatMap((each) => each ?? [])
  const read = await mappedAtOnce(branches, (branch) => readBranchWork(branch, options))
  const shown = read.filter((each) => each !== undefined && each !== null)
  const left = await findLeft([...derived, ...shown.map((each) => each.work)], options, standOf)
  const leftOf = (each: LocalWork) => left.get(each) ?? each
  const isGone = ({ work: each }: BranchWork) => leftOf(each).files.length === 0
  const found = shown.filter((each) => !isGone(each))
  // Paused work waits for its merge, so it goes with its branch.
  const gone = shown.filter(isGone).map(({ branch }) => branch)
  const unmerged = listed?.filter((each) => !gone.includes(each)).flatMap(({ names }) => names) ?? []
  const waiting = new Set([...checked_out, ...unmerged])
  const work = new Map<string, LocalWork>()
  const add = (each: LocalWork) => work.set(each.activity.id, each)
  for (const each of declared) {
    const { status, branch } = each.activity
    if (!each.had_branch || status !== 'paused' || waiting.has(branch)) add(each)
  }
  for (const one of derived.map(leftOf)) if (one.kind === 'declared' || one.files.length > 0) add(one)
  for (const each of shown) {
    const { names } = each.branch
    const left = leftOf(each.work)
    const onBranch = live.filter(
      ({ activity, had_branch }) => had_branch && names.some((name) => name === activity.branch),
    )
    if (onBranch.length === 0 && left.files.length > 0) add(left)
    // The newest commit of its name comes first.
    for (const own of onBranch)
      if (work.get(own.activity.id) === own) add(withCommits(own, { ...each, left }))
  }
  const heads = [...trees, ...found.map(({ branch: { name, sha } }) => ({ branch: name, head: sha }))]
  const since = sinceFork(commits, (id) => standOf(work.get(id ?? '')))
  // What the working tree that asks has as well is no work of others.
  if (!is_with_own)
    for (const each of work.values()) {
      const diff = isHere(each) ? undefined : await since(each.activity.id, null)
      if (diff) add(withFiles(each, diff))
    }
  const notables = new Map(records.notables.map((each) => [each.id, notable.asOf(each, now)]))
  // On the base branch, work of the same working tree has no branch by which it would be known as own.
  const isOwn = (each: LocalWork) => !is_with_own && each.activity.branch === null && isHere(each)
  const compared = [...work.values()].filter((each) => isLive(each.activity.status) && !isOwn(each))
  const set = setOf(compared, notables)
  const shared = listed?.flatMap(({ names, sha }) => (names.length > 1 ? sha : [])) ?? []
  set.replaceLinks(await withoutNew(git, commits.links(heads, merged, shared)))
  return { work, notables, set, since, merged, looked_at: lookedAt() }

  function isHere({ activity: { worktree, branch } }: LocalWork): boolean {
    const here = trees.find((each) => each.root === root)
    return worktree === root && (branch === null || branch === here?.branch)
  }

  /** Without work: the working tree that asks. */
  function standOf(of?: LocalWork): Stand | undefined {
    const { worktree = root, branch = null, id } = of?.activity ?? {}
    const tree = trees.find((each) => each.root === worktree && (branch === null || each.branch === branch))
    if (tree?.head) return { head: tree.head, readSince: (fork) => readTreeSince(tree, fork, options) }
    // Declared work is that of its branch while its working tree has another commit checked out, as in a bisection.
    const named = listed?.find(({ names }) => branch !== null && names.includes(branch))
    const head = (named ?? shown.find(({ work: each }) => each.activity.id === id)?.branch)?.sha
    return head === undefined ? undefined : { head, readSince: (fork) => readCommitted(head, options, fork) }
  }

  function lookedAt(): LookedAt {
    const pulls = found.filter(({ branch }) => branch.pr_number !== null).length
    const sources = [
      ...fetchedText(records.fetched, options),
      ...(newest?.left_out
        ? [`${count(newest.left_out, 'older branch', 'older branches')}: not compared`]
        : []),
      options.others_unknown,
      ...options.settings_problems,
      ...records.broken.map((name) => `${name}: cannot be read`),
    ]
    return {
      worktrees: trees.length,
      sessions: live.filter(({ activity }) => activity.agent !== null).length,
      branches: found.length - pulls,
      pull_requests: pulls,
      sources,
      unread: unreadOf(),
    }
  }

  /** The working trees and branches that were not compared, and why. */
  function unreadOf(): string[] {
    const because = (why: string) => (options.left_ms() > 0 ? why : 'no time was left; check again')
    const left_out = read.filter((each) => each === undefined).length
    const isUnknown = base === undefined && branches.length + others.length > 0
    const unreadable = because(`git cannot read it; run git status there${SHALLOW}`)
    const failed = `git could not compare them with ${base}${SHALLOW}`
    return [
      ...(allTrees ? [] : [`working trees: ${because('git did not list them; run git worktree list')}`]),
      ...others.flatMap(({ root: each }, at) =>
        ofTrees[at] === undefined ? [`working tree ${options.shownTree(each)}: ${unreadable}`] : [],
      ),
      ...(listed ? [] : [`branches: ${because('git did not list them; run git for-each-ref')}`]),
      ...(isUnknown ? ['branches: the base branch is unknown; name it with check --base'] : []),
      ...(left_out > 0 && !isUnknown ? [`${count(left_out, 'branch', 'branches')}: ${because(failed)}`] : []),
    ]
  }
}

/**
 * Declared work on a branch that is checked out nowhere, so that no working tree shows it: the commits that are `left`. A file that
 * was declared after them, as before a stash, counts in place of theirs, and one that they have not if the work was changed since.
 */
function withCommits(own: LocalWork, { work, branch, left }: BranchWork & { left: LocalWork }): LocalWork {
  const { declared_at, created_at, updated_at } = own.activity
  // Git knows the second.
  const isSince = (at: Date) => Math.floor(at.getTime() / 1000) * 1000 > branch.committed_at.getTime()
  const [wasDeclared, wasChanged] = [isSince(declared_at ?? created_at), isSince(updated_at)]
  const pathsOf = (files: LocalWork['files']) => new Set(files.map(({ path }) => path))
  const [all, remaining] = [pathsOf(work.files), pathsOf(left.files)]
  const declared = own.files.filter(({ path }) =>
    all.has(path) ? wasDeclared && remaining.has(path) : wasChanged,
  )
  const since = pathsOf(declared)
  const committed = left.files.filter(({ path }) => !since.has(path))
  const diff = diffOf(left)
  // Lines that are counted from two commits are compared by what is around them.
  const isOfOne = declared.length === 0 || own.activity.base_sha === diff.base_sha
  return withFiles(own, {
    ...diff,
    base_sha: isOfOne ? diff.base_sha : null,
    files: [...declared, ...committed],
  })
}

/** What was declared in another working tree, less what that of `root` has too. */
function withoutCopiedFiles(work: LocalWork, root: string | null): LocalWork {
  const { worktree, status, base_sha, changes_complete } = work.activity
  if (worktree === null || !isLive(status)) return work
  return withFiles(work, {
    ...withoutCopies({ files: work.files, base_sha }, worktree, root),
    is_cut: !changes_complete,
  })
}

/** What is not known of pull requests: fetched ones are those of that time. */
export function fetchedText(
  fetched: Fetched | null,
  { now, remote }: Pick<CloneOptions, 'now' | 'remote'>,
): string[] {
  if (remote === undefined) return ['pull requests: there is no remote']
  if (fetched === null) return ['pull requests: not fetched; deconflict fetch']
  const { at, left_out } = fetched
  const since = `pull requests: not fetched since ${minuteText(at.toISOString())}; deconflict fetch`
  return [
    ...(left_out > 0 ? [`${count(left_out, 'older pull request', 'older pull requests')}: not fetched`] : []),
    ...(now.getTime() - at.getTime() > HOUR_MS ? [since] : []),
  ]
}

/** The work in a working tree: its records with the files as they are now, or what git shows of it; undefined if git fails there. */
async function workOfTree(
  tree: WorkingTreeOf,
  live: readonly LocalWork[],
  options: MergedOptions,
): Promise<LocalWork[] | undefined> {
  // A session that went to another branch leaves its record of the former one behind.
  const branch = tree.branch === options.base ? null : tree.branch
  const declared = live.filter(
    ({ activity }) => activity.worktree === tree.root && activity.branch === branch,
  )
  const isFresh = declared.some(({ activity: { agent, status, heartbeat_at, created_at } }) => {
    const renewed_at = heartbeat_at ?? created_at
    return agent !== null && status !== 'paused' && options.now.getTime() - renewed_at.getTime() < FRESH_MS
  })
  if (isFresh && !options.is_shallow) return []
  const shown = await readTree(tree, options)
  if (shown === undefined) return undefined
  if (declared.length === 0) return shown ? [shown] : []
  return declared.map((each) => withFiles(each, shown ? diffOf(shown) : { files: [], base_sha: null }))
}

function setOf(work: readonly LocalWork[], notables: Clone['notables']): LiveSet {
  const set = new LiveSet()
  for (const { activity } of work)
    set.replace(outlineOf({ ...activity, ends_at: activity.expires_at.getTime() }))
  for (const each of notables.values()) if (each.status === 'active') set.replace(notable.outlineOf(each))
  return set
}
