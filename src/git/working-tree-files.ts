/** The changed files of a working tree, with patches against the merge base, and the scope of a request with them. */

import { type Change, parseDiff } from './diff-output.ts'
import type { Git } from './git.ts'
import { fitChanges, scopePaths } from './request-size.ts'

export interface ChangedFiles {
  /** The commit that the patches start from; undefined before the first commit. */
  base_sha: string | undefined
  /** Within the limits of one request. */
  changes: Change[]
  /** Globs that match the files beyond these limits. */
  paths: string[]
  /** The time in which git could not make the patches, which are left out. */
  late_ms?: number
  /** This shallow clone has no commit that HEAD and the base branch have in common: what was committed is missing. */
  is_cut_off?: boolean
}

export interface ChangedFilesOptions {
  /** The branch whose merge base with HEAD is compared; without one, HEAD. */
  base: string | undefined
  remote: string | undefined
  /** Compares the index instead of the working tree. */
  staged_only?: boolean
  /** Compares with this commit instead: another one, whatever is checked out, or the working tree. */
  between?: readonly [before: string, after?: string]
  /** The time limit of all git calls. If patches take too long, they are left out. Default: only the limit of each call. */
  timeout_ms?: number
}

/** A larger file counts as binary. Comparing two of them line by line takes seconds. */
const FILE_MAX = '16m'

/** Overrides every user setting that would change the output. */
const CONFIGURATION = [
  'core.quotePath=false',
  'diff.suppressBlankEmpty=false',
  `core.bigFileThreshold=${FILE_MAX}`,
  // Git before 2.28 has neither this setting nor the option that overrides it.
  'diff.relative=false',
].flatMap((setting) => ['-c', setting])
const DIFF = [
  '--raw',
  '-z',
  '--no-abbrev',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
  '-O/dev/null',
]
const UNTRACKED = ['ls-files', '-z', '--full-name', '--others', '--exclude-standard', ':/']
const PATCHES = [
  '--patch',
  '-U3',
  '--inter-hunk-context=0',
  '--diff-algorithm=myers',
  '--indent-heuristic',
  '--full-index',
  '--find-renames',
  '-l1000',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
]
/** The share of the time for a diff with patches; the rest is for a diff without them, if the first one takes too long. */
const PATCHES_TIME = 0.6

/**
 * Files that differ from the merge base in commits, the index and the working tree, untracked files included. Undefined if
 * git fails, or does not end in time.
 */
export async function readChangedFiles(
  git: Git,
  options: ChangedFilesOptions,
): Promise<ChangedFiles | undefined> {
  const { staged_only = false, between, timeout_ms = Number.POSITIVE_INFINITY } = options
  const [before, after] = between ?? []
  if (before && after) {
    const changed = await trackedChanges(git, [before, after], timeout_ms)
    return changed && { base_sha: before, ...changed, ...fitChanges(changed.changes) }
  }
  const untrackedSoon = staged_only ? [] : untrackedChanges(git, timeout_ms)
  const fork = before ?? (options.base && (await git.mergeBase(options.base, options.remote)))
  const base_sha = fork || (await git.output(['rev-parse', '-q', '--verify', 'HEAD^{commit}']))
  // Otherwise the branch has a root of its own, or the base branch is not known here.
  const is_cut_off = !fork && (await isCutOff(git, options))
  const isCached = staged_only || base_sha === undefined
  const range = [...(isCached ? ['--cached'] : []), ...(base_sha === undefined ? [] : [base_sha])]
  const [tracked, untracked] = await Promise.all([trackedChanges(git, range, timeout_ms), untrackedSoon])
  if (tracked === undefined || untracked === undefined) return undefined
  // A file that was removed from the index, but still exists, is in both lists.
  const byPath = new Map([...untracked, ...tracked.changes].map((each) => [each.path, each]))
  const all = [...tracked.changes, ...untracked].filter((each) => byPath.get(each.path) === each)
  return { base_sha, ...tracked, ...fitChanges(all), ...(is_cut_off && { is_cut_off }) }
}

async function isCutOff(git: Git, { base, remote }: ChangedFilesOptions): Promise<boolean> {
  if ((await git.commitsOf(base, remote)).length === 0) return false
  return (await git.output(['rev-parse', '--is-shallow-repository'])) === 'true'
}

/**
 * The untracked files of the whole working tree, except ignored ones; undefined if git fails. Neither a patch nor a hash of
 * the content is sent, because any of these files may contain a secret. Two added files with the same path conflict whatever
 * they contain.
 */
async function untrackedChanges(git: Git, timeout_ms: number): Promise<Change[] | undefined> {
  const names = await git.output(UNTRACKED, { timeout_ms })
  // A name that ends in a slash is another repository.
  const paths = names?.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  return paths?.map((path) => ({ path, status: 'added' }))
}

async function trackedChanges(git: Git, range: string[], timeout_ms: number) {
  const patched = await git.output([...CONFIGURATION, 'diff', ...DIFF, ...PATCHES, ...range], {
    timeout_ms: timeout_ms * PATCHES_TIME,
  })
  if (patched !== undefined) return { changes: parseDiff(patched) }
  const output = await git.output([...CONFIGURATION, 'diff', ...DIFF, '--no-renames', ...range], {
    timeout_ms: timeout_ms * (1 - PATCHES_TIME),
  })
  return output === undefined ? undefined : { changes: parseDiff(output), late_ms: timeout_ms }
}

/** The changes of each commit since its parent, by commit. Undefined if git fails, or does not end in time. */
export async function readCommits(
  git: Git,
  commits: readonly { sha: string; parent: string | null }[],
  timeout_ms: number,
): Promise<Map<string, Change[]> | undefined> {
  const input = commits.map(({ sha, parent }) => `${sha} ${parent ?? ''}`.trim()).join('\n')
  const command = [...CONFIGURATION, 'diff-tree', '--stdin', '-r', '--root', ...DIFF, ...PATCHES]
  const output = await git.output(command, { timeout_ms, input: `${input}\n` })
  // In a patch, no line begins with a digit or a letter.
  const [, ...parts] = output?.split(/^([0-9a-f]{40,64})\0/m) ?? []
  const changes = parts.flatMap((sha, at) =>
    at % 2 === 0 ? [[sha, parseDiff(parts[at + 1] ?? '')] as const] : [],
  )
  return output === undefined ? undefined : new Map(changes)
}

export interface GivenScope {
  scope: { areas: string[]; paths: string[]; changes?: Change[] }
  /** The commit that the patches of `changes` start from. */
  base_sha?: string
}

/** Adds the changed files of git. Paths that are among them are left out, because their lines are compared. */
export function withChanges(
  { areas, paths }: { areas: string[]; paths: string[] },
  changed: ChangedFiles | undefined,
): GivenScope {
  if (changed === undefined || changed.changes.length === 0) return { scope: { areas, paths } }
  const { changes, base_sha } = changed
  const names = new Set(scopePaths(changes.map(({ path }) => path)))
  const others = [...paths.filter((path) => !names.has(path)), ...changed.paths]
  return {
    scope: { areas, paths: [...new Set(others)], changes },
    ...(base_sha !== undefined && { base_sha }),
  }
}
