/** Finds the git directory and the branch of a working tree without running git. */
import { type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { textOf } from './small-files.ts'

export interface WorkingTree {
  root: string
  /** Each linked working tree has its own. */
  git_directory: string
  /** The git directory of the main working tree. */
  common_directory: string
}

/** The working tree that contains the directory `from`; undefined if there is none. */
export function findTree(from: string): WorkingTree | undefined {
  const root = resolve(from)
  const git_directory = gitDirectoryIn(root)
  if (git_directory !== undefined)
    return { root, git_directory, common_directory: commonDirectoryOf(git_directory) }
  const parent = dirname(root)
  // Git does not look further either if the file `.git` names nothing.
  return parent === root || kindOf(join(root, '.git'))?.isFile() ? undefined : findTree(parent)
}

/** The working tree of the same clone that a file is in, if it is another one. */
export function otherTreeOf(here: WorkingTree, file: string): WorkingTree | undefined {
  const tree = findTree(dirname(file))
  const isOther = tree !== undefined && tree.git_directory !== here.git_directory
  const isSameClone = isOther && tree.common_directory === here.common_directory
  return isSameClone && !isBare(tree) ? tree : undefined
}

/** Whether it is a bare repository, or the directory around one and its working trees. */
export function isBare({ git_directory, common_directory }: Omit<WorkingTree, 'root'>): boolean {
  const text = ['config', 'config.worktree'].map((name) => textOf(join(common_directory, name))).join('\n')
  return git_directory === common_directory && /^\s*bare\s*=\s*true/im.test(text)
}

/** What a path names; undefined if it names nothing, or must not be read, or is no path at all. */
function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** `.git`, or the directory that the file `.git` of a linked working tree or submodule names. */
function gitDirectoryIn(root: string): string | undefined {
  const dotGit = join(root, '.git')
  const named = kindOf(dotGit)?.isDirectory() ? dotGit : /^gitdir: (.+)/s.exec(textOf(dotGit))?.[1]?.trim()
  if (named === undefined) return undefined
  const git_directory = resolve(root, named)
  return kindOf(join(git_directory, 'HEAD')) && git_directory
}

/** The git directory of the main working tree. */
export function commonDirectoryOf(git_directory: string): string {
  return resolve(git_directory, textOf(join(git_directory, 'commondir')).trim())
}

/** The branch that is checked out or rebased. Null on another detached HEAD; undefined if only git can read it (`reftable`). */
export function readBranch(git_directory: string): string | null | undefined {
  const files = ['HEAD', 'rebase-merge/head-name', 'rebase-apply/head-name']
  const refs = files.map((name) => textOf(join(git_directory, name))).join('\n')
  const branch = /^(?:ref: )?refs\/heads\/([^\n]+)/m.exec(refs)?.[1]
  return branch === '.invalid' ? undefined : (branch ?? null)
}

/** The commit that is checked out; null before the first commit, and if only git can read it. */
export function readHead({ git_directory, common_directory }: Omit<WorkingTree, 'root'>): string | null {
  const head = textOf(join(git_directory, 'HEAD')).trim()
  const [, ref] = /^ref: (.+)$/.exec(head) ?? []
  if (ref === undefined) return /^[0-9a-f]{40,64}$/.test(head) ? head : null
  const loose = textOf(join(common_directory, ref)).trim()
  if (loose !== '') return loose
  const packed = textOf(join(common_directory, 'packed-refs')).split('\n')
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null
}
