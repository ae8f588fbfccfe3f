/** The other working trees of a clone (docs/contract/local.md#live-work). */
import { existsSync, lstatSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StoredFile } from '../engine/check/source.ts'
import type { Git } from '../git/git.ts'
import { findTree, isBare, readBranch } from '../git/git-directory.ts'
import { contentOf } from '../git/small-files.ts'
import { readChangedFiles } from '../git/working-tree-files.ts'
import { DAY_MS, later, systemClock } from '../vocabulary/clock.ts'
import { type CloneOptions, filesOf, type MergedOptions, patchIdOf } from './clone-options.ts'
import { hashOf, type Kept } from './diff-cache.ts'
import { type Diff, derivedId, derivedWork, type LocalWork } from './work.ts'

export interface WorkingTreeOf {
  root: string
  head: string | null
  /** Null on a detached HEAD, unless a branch is being rebased. */
  branch: string | null
}

/** The working trees of the clone that exist, the main one first; undefined if git fails. `root`: one of them. */
export async function listTrees(git: Git, root: string | null): Promise<WorkingTreeOf[] | undefined> {
  const output = await git.output(['worktree', 'list', '--porcelain'])
  // Git quotes no newline in a path.
  const entries = output?.matchAll(
    /^worktree ([\s\S]+?)\n(?:bare$|HEAD (\w+)(?:\nbranch refs\/heads\/([^\n]+))?)/gm,
  )
  if (entries === undefined) return undefined
  const listed = [...entries].flatMap(([, named = '', head, branch = null]): WorkingTreeOf[] =>
    head === undefined ? [] : [{ root: named, head: /[^0]/.test(head) ? head : null, branch }],
  )
  const [main] = listed
  if (main && !isTree(main)) {
    // Of a submodule, and with a git directory elsewhere, git lists that instead of the main working tree.
    const known = listed.some((tree) => tree.root === root) ? undefined : root
    main.root = known ?? (await git.output(['-C', main.root, 'rev-parse', '--show-toplevel'])) ?? main.root
  }
  const trees = listed.filter(isTree)
  // Git names none while a branch is rebased.
  for (const tree of trees) tree.branch ??= readBranch(findTree(tree.root)?.git_directory ?? '') ?? null
  // With a git directory elsewhere, git knows no place of the main working tree, which then cannot be read.
  const isLost = main && !isTree(main) && !isBare({ git_directory: main.root, common_directory: main.root })
  return isLost ? [{ root: main.root, head: null, branch: null }, ...trees] : trees
}

function isTree({ root }: WorkingTreeOf): boolean {
  return existsSync(join(root, '.git'))
}

/** How long a working tree is as it was, as long as the files that are asked about and their directories are. */
const SAME_MS = 10_000
/** A file can have been written again within the same tick of the clock of its disk. */
const TICK_MS = 2000

/** The changes of another working tree; null if it has none, undefined if git fails there or does not end in time. */
export async function readTree(
  tree: WorkingTreeOf,
  options: MergedOptions,
): Promise<LocalWork | null | undefined> {
  const { now, base, root } = options
  const kept = (await keptOf(tree, options))?.diff
  if (!kept) return undefined
  const known = withoutCopies(kept, tree.root, root)
  if (known.files.length === 0) return null
  const branch = tree.branch === base ? null : tree.branch
  const created_at = statOf(join(tree.root, '.git'))?.birthtime ?? now
  return derivedWork(
    'worktree',
    {
      id: derivedId(`tree ${tree.root}`, created_at),
      title: `Work in ${basename(tree.root)}${tree.branch === null ? '' : ` on ${tree.branch}`}`,
      actor: known.actor ?? options.person,
      branch,
      base_branch: branch === null ? null : (base ?? null),
      created_at,
      expires_at: later(now, DAY_MS),
      worktree: tree.root,
    },
    known,
  )
}

/** What it changes since a commit that it contains; null if git fails there. */
export async function readTreeSince(
  tree: WorkingTreeOf,
  fork: string,
  options: MergedOptions,
): Promise<Diff | null> {
  const { cache, root, left_ms } = options
  const state = (await keptOf(tree, options))?.state
  const name = `tree ${tree.root} ${fork}`
  const make = () => readDiff(tree, options, fork)
  const diff = state === undefined ? null : await cache.get(name, state, left_ms(), make)
  return diff && withoutCopies(diff, tree.root, root)
}

/**
 * Git reads every file name of a working tree to find what differs. For a question about a few files, their times tell whether
 * what it said a few seconds ago still holds.
 */
async function keptOf(tree: WorkingTreeOf, options: MergedOptions): Promise<Kept | null> {
  // Git would read the working tree around it.
  if (!isTree(tree)) return null
  const { merged, cache, left_ms, asked } = options
  const [git, name] = [options.git.in(tree.root), `tree ${tree.root}`]
  const commits = hashOf([tree.head, ...merged].join('\0'))
  const known = cache.kept(name, left_ms())
  const seen_at = systemClock().getTime()
  const isOfCommits = known?.state.startsWith(commits) === true
  const age = seen_at - (known?.seen_at ?? 0)
  if (isOfCommits && asked && age >= 0 && age < SAME_MS && !isChanged(tree.root, asked, known.seen_at))
    return known
  const status = await git.output(['status', '--porcelain=v2', '-z', '--untracked-files=all'], {
    timeout_ms: left_ms(),
  })
  if (status === undefined) return null
  const state = commits + hashOf([status, ...timesOf(tree.root, status)].join('\0'))
  if (known?.state === state) {
    cache.seen(name, seen_at)
    return known
  }
  const diff = await readDiff(tree, options)
  if (diff === null) return null
  const kept = { state, seen_at, diff }
  cache.keep(name, kept)
  return kept
}

/** `from`: a commit; without one, the changes since the base branch. */
async function readDiff(tree: WorkingTreeOf, options: CloneOptions, from?: string): Promise<Diff | null> {
  const { base, remote, hasher, left_ms } = options
  const git = options.git.in(tree.root)
  const between = from && ([from] as const)
  const how = { base, remote, timeout_ms: left_ms(), ...(between && { between }) }
  const [changed, actor] = await Promise.all([
    readChangedFiles(git, how),
    git.output(['config', 'user.name']),
  ])
  if (changed === undefined || changed.is_cut_off) return null
  const files = filesOf(changed.changes, hasher())
  const { base_sha = null, paths, late_ms = 0 } = changed
  const diff = { base_sha, files, patch_id: patchIdOf(files), is_cut: paths.length > 0, late_ms }
  return { ...diff, ...(actor && { actor }) }
}

/** A larger file is compared with no other one. */
const COPY_MAX = 65_536

/** Without the untracked files that the working tree that asks has too, such as settings that somebody copied: nobody works on them. */
export function withoutCopies<Of extends Pick<Diff, 'files'>>(diff: Of, from: string, to: string | null): Of {
  const isCopy = ({ path, status, blob_sha }: StoredFile) => {
    if (status !== 'added' || blob_sha !== null || to === null || to === from) return false
    const own = smallContentOf(join(to, path))
    return own !== undefined && smallContentOf(join(from, path))?.equals(own) === true
  }
  return { ...diff, files: diff.files.filter((file) => !isCopy(file)) }
}

function smallContentOf(file: string): Buffer | undefined {
  const found = statOf(file)
  return found?.isFile() && found.size <= COPY_MAX ? contentOf(file) : undefined
}

/** Undefined if there is no such file, such as beneath a path that is a file in this working tree. */
function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file)
  } catch {
    return undefined
  }
}

/** Whether one of these files, or a directory of one, was written since. What became a directory has changed. */
function isChanged(root: string, files: readonly string[], since: number): boolean {
  const isLater = (found: Stats | undefined) => found !== undefined && found.ctimeMs >= since - TICK_MS
  const directories = new Set(files.map((file) => dirname(file)))
  for (const each of directories) {
    const found = statOf(`${root}/${each}`)
    if (isLater(found)) return true
    // The directory that it was removed from has changed.
    if (!found && each !== '.') directories.add(dirname(each))
  }
  return files.some((file) => {
    const found = statOf(`${root}/${file}`)
    return isLater(found) || found?.isDirectory() === true
  })
}

/** When the changed files of a working tree were written: git says only that they differ. */
function timesOf(root: string, status: string): string[] {
  return status.split('\0').flatMap((entry) => {
    const path = /^[12u?] /.test(entry)
      ? entry.replace(/^(?:\? |1 (?:\S+ ){7}|2 (?:\S+ ){8}|u (?:\S+ ){9})/, '')
      : null
    const found = path === null ? undefined : statOf(join(root, path))
    return found ? [`${found.mtimeMs} ${found.size}`] : []
  })
}
