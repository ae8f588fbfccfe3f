/** Merges many small files with git at once: each is a file of one repository, changed on two sides. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MirrorCommit, mirrorOf } from './mirror.ts'

/** The contents of one file. `main` is `base` after changes of the base branch; `theirs` starts from it. */
export interface Merge {
  base: string
  main: string
  ours: string
  theirs: string
}

export interface MergeWithTruth extends Merge {
  /** `git diff -U3` from `base` to `ours`, and from `main` to `theirs`. */
  our_patch: string
  their_patch: string
  is_conflict: boolean
}

/**
 * Leaves out merges in which a side changes nothing, or in which `ours` already conflicts with the base branch. `oracle`:
 * `merge-tree` merges like GitHub; `merge-file` compares like `git diff`; `own-base` has those in which `ours` conflicts with the
 * base branch, and merges `theirs` as if it started from the base that `ours` has.
 */
export async function mergesWithTruth(
  merges: readonly Merge[],
  oracle: 'merge-tree' | 'merge-file' | 'own-base',
): Promise<MergeWithTruth[]> {
  const directory = await mirrorOf(mirrorWith(merges))
  const git = (args: string[]) => run('git', args, directory.path).stdout
  try {
    const [ourPatches, theirPatches] = [
      patches(git(['diff', '-U3', 'base', 'ours'])),
      patches(git(['diff', '-U3', 'main', 'theirs'])),
    ]
    const commit = (onto: string, tree: string) => git(['commit-tree', '-p', onto, '-m', 'tree', tree]).trim()
    const [onMain, isOwnBase] = [mergeTree(git, 'main', 'ours'), oracle === 'own-base']
    const rebased = isOwnBase ? mergeTree(git, commit('main', 'base^{tree}'), 'theirs') : onMain
    const sides = isOwnBase ? (['base', 'ours'] as const) : (['main', 'theirs'] as const)
    const merged =
      oracle === 'merge-file' ? null : mergeTree(git, commit(sides[0], rebased.tree), sides[1]).conflicts
    return merges.flatMap((merge, index) => {
      const name = nameOf(index)
      const [our_patch, their_patch] = [ourPatches.get(name), theirPatches.get(name)]
      if (!our_patch || !their_patch || rebased.conflicts.has(name)) return []
      if (isOwnBase && !onMain.conflicts.has(name)) return []
      const is_conflict = merged?.has(name) ?? mergeFile(directory.path, merge)
      return [{ ...merge, our_patch, their_patch, is_conflict }]
    })
  } finally {
    await directory.remove()
  }
}

function run(program: string, args: string[], cwd: string) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY }
  try {
    const stdout = execFileSync(program, args, {
      ...{ cwd, env },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    return { stdout, status: 0 }
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string }
    if (status > 0 && status < 128 && args[0]?.startsWith('merge-')) return { stdout, status }
    throw error
  }
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

function nameOf(index: number): string {
  return `file-${index}`
}

/** `base` → `main` → `theirs`, and `base` → `ours`, each on a branch of its name. */
function mirrorWith(merges: readonly Merge[]) {
  const commit = (side: keyof Merge, ...parents: string[]): MirrorCommit => {
    const files = Object.fromEntries(merges.map((merge, index) => [nameOf(index), merge[side]]))
    return { name: side, parents, author: 'Ada', day: 0, files }
  }
  const commits = [commit('base'), commit('main', 'base'), commit('ours', 'base'), commit('theirs', 'main')]
  return { commits, refs: Object.fromEntries(commits.map(({ name }) => [`refs/heads/${name}`, name])) }
}

function patches(diff: string): Map<string, string> {
  const parts = diff.split(/^diff --git a\//m).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(' ')), `diff --git a/${part}`]))
}

function mergeTree(git: (args: string[]) => string, ours: string, theirs: string) {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs]
  const [tree = '', ...conflicts] = git(args).trim().split('\n')
  return { tree, conflicts: new Set(conflicts) }
}

/** Whether `git merge-file` reports a conflict. It ignores `main`, so this is only valid if `base` and `main` are the same. */
function mergeFile(cwd: string, merge: Merge): boolean {
  for (const side of ['ours', 'base', 'theirs'] as const) writeFileSync(join(cwd, side), merge[side])
  return run('git', ['merge-file', '-p', '-q', 'ours', 'base', 'theirs'], cwd).status !== 0
}
