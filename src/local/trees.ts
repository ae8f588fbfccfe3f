/** The other working trees of a clone (docs/contract/local.md#live-work). */
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Git } from '../git/git.ts'
import { readChangedFiles } from '../git/working-tree-files.ts'
import { DAY_MS, later } from '../vocabulary/clock.ts'
import { filesOf, type GitOptions } from './git-options.ts'
import { derivedId, derivedWork, type LocalWork } from './work.ts'

export interface WorkingTreeOf {
  root: string
  head: string | null
  /** Null on a detached HEAD. */
  branch: string | null
}

/** The working trees of the clone that exist, the main one first. */
export async function listTrees(git: Git): Promise<WorkingTreeOf[]> {
  const output = await git.output(['worktree', 'list', '--porcelain'])
  return (output ?? '').split('\n\n').flatMap((text) => {
    const [, root] = /^worktree (.+)$/m.exec(text) ?? []
    if (root === undefined || /^bare$/m.test(text)) return []
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) return []
    const [, head = null] = /^HEAD ([0-9a-f]+)$/m.exec(text) ?? []
    const [, branch = null] = /^branch refs\/heads\/(.+)$/m.exec(text) ?? []
    return [{ root, head: /[^0]/.test(head ?? '0') ? head : null, branch }]
  })
}

/** The changes of another working tree; null if it has none, or if git fails there. */
export async function readTree(tree: WorkingTreeOf, options: GitOptions): Promise<LocalWork | null> {
  const { env, now, base, remote, cache, hasher, left_ms } = options
  const git = new Git(tree.root, env)
  const status = await git.output(['status', '--porcelain=v2', '-z', '--untracked-files=all'], {
    timeout_ms: left_ms(),
  })
  if (status === undefined) return null
  const state = [tree.head, base, remote, status, ...timesOf(tree.root, status)].join('\0')
  const known = await cache.get(`tree ${tree.root}`, state, async () => {
    const changed = await readChangedFiles(git, { base, remote, staged_only: false, timeout_ms: left_ms() })
    if (changed === undefined) return null
    return { base_sha: changed.base_sha ?? null, files: filesOf(changed.changes, hasher()) }
  })
  if (known === null || known.files.length === 0) return null
  const branch = tree.branch === base ? null : tree.branch
  const created_at = statSync(join(tree.root, '.git'), { throwIfNoEntry: false })?.birthtime ?? now
  const name = tree.branch ?? basename(tree.root)
  return derivedWork(
    'worktree',
    {
      id: derivedId(`tree ${tree.root}`, created_at),
      title: `Work in ${basename(tree.root)}${tree.branch === null ? '' : ` on ${name}`}`,
      actor: (await git.output(['config', 'user.name'])) || 'unknown',
      branch,
      base_branch: branch === null ? null : (base ?? null),
      pushed_base_sha: known.base_sha,
      created_at,
      expires_at: later(now, DAY_MS),
      worktree: tree.root,
    },
    known.files,
  )
}

/** When the changed files of a working tree were written: git says only that they differ. */
function timesOf(root: string, status: string): string[] {
  return status.split('\0').flatMap((entry) => {
    const path = /^[12u?] /.test(entry)
      ? entry.replace(/^(?:\? |1 (?:\S+ ){7}|2 (?:\S+ ){8}|u (?:\S+ ){9})/, '')
      : null
    const found = path === null ? undefined : statSync(join(root, path), { throwIfNoEntry: false })
    return found ? [`${found.mtimeMs} ${found.size}`] : []
  })
}
