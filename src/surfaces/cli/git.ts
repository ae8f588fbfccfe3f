/** Questions to git about a working tree: remote, branch, base branch, changed files. Every call has a timeout. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseRemote, type RemoteAddress } from './remote.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 15_000
const OUTPUT_MAX = 64 * 1_048_576

/** Tried if the remote does not say which branch is its default. */
const COMMON_BASES = ['main', 'master', 'trunk', 'develop']

/** Both names of a rename: a change to the old path conflicts too. */
const DIFF = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff']

/** Relative to the root, also when run in a directory below it. */
const FILES = ['ls-files', '-z', '--full-name']

export class Git {
  readonly #cwd: string
  readonly #env: Record<string, string | undefined>

  constructor(cwd: string, env: Record<string, string | undefined>) {
    this.#cwd = cwd
    this.#env = { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
  }

  /** The top directory of the working tree; undefined outside of one. */
  root(): Promise<string | undefined> {
    return this.#output('rev-parse', '--show-toplevel')
  }

  /** The git directory of this working tree; linked working trees have one each. */
  gitDirectory(): Promise<string | undefined> {
    return this.#output('rev-parse', '--absolute-git-dir')
  }

  hooksDirectory(): Promise<string | undefined> {
    return this.#output('rev-parse', '--path-format=absolute', '--git-path', 'hooks')
  }

  /** The checked-out branch; undefined on a detached HEAD. */
  branch(): Promise<string | undefined> {
    return this.#output('symbolic-ref', '--short', '-q', 'HEAD')
  }

  config(name: string): Promise<string | undefined> {
    return this.#output('config', '--get', name)
  }

  /** The remote of the branch, else `origin`, else the only one. */
  async remote(
    branch: string | undefined,
  ): Promise<{ name: string; address: RemoteAddress | undefined } | undefined> {
    const names = (await this.#output('remote'))?.split('\n').filter(Boolean) ?? []
    const own = branch && (await this.config(`branch.${branch}.remote`))
    const name = [own, 'origin', names.length === 1 ? names[0] : undefined].find(
      (each) => each && names.includes(each),
    )
    if (!name) return undefined
    const url = await this.#output('remote', 'get-url', name)
    return { name, address: url === undefined ? undefined : parseRemote(url) }
  }

  /** The default branch of the remote, else a common name that exists. */
  async base(remote: string | undefined): Promise<string | undefined> {
    if (remote) {
      const head = await this.#output('symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`)
      if (head?.startsWith(`${remote}/`)) return head.slice(remote.length + 1)
    }
    for (const name of COMMON_BASES) if (await this.#refOf(name, remote)) return name
    return undefined
  }

  /**
   * Files that differ from the merge base with `base`, in commits, the index and the working tree, untracked files
   * included. With `staged_only` without the working tree. Relative to the root, sorted.
   */
  async changedPaths(
    base: string | undefined,
    { remote, staged_only }: { remote: string | undefined; staged_only: boolean },
  ): Promise<string[]> {
    const lists = [await this.#committedPaths(base, remote)]
    const hasCommits = (await this.#output('rev-parse', '-q', '--verify', 'HEAD')) !== undefined
    if (staged_only) lists.push(await this.#output(...DIFF, '--cached', ...(hasCommits ? ['HEAD'] : [])))
    else {
      lists.push(await this.#output(...(hasCommits ? [...DIFF, 'HEAD'] : [...FILES, '--cached', ':/'])))
      lists.push(await this.#output(...FILES, '--others', '--exclude-standard', ':/'))
    }
    return [...new Set(lists.flatMap((list) => list?.split('\0') ?? []))].filter(Boolean).sort()
  }

  async #committedPaths(base: string | undefined, remote: string | undefined): Promise<string | undefined> {
    const ref = base && (await this.#refOf(base, remote))
    const mergeBase = ref && (await this.#output('merge-base', 'HEAD', ref))
    return mergeBase ? this.#output(...DIFF, mergeBase, 'HEAD') : undefined
  }

  /** The full name of a branch: of the remote one, which others have, else of the local one. */
  async #refOf(branch: string, remote: string | undefined): Promise<string | undefined> {
    const refs = [...(remote ? [`refs/remotes/${remote}/${branch}`] : []), `refs/heads/${branch}`]
    for (const ref of refs)
      if ((await this.#output('rev-parse', '-q', '--verify', ref)) !== undefined) return ref
    return undefined
  }

  /** Standard output without the final newline; undefined if git fails or is not installed. */
  async #output(...args: string[]): Promise<string | undefined> {
    try {
      const options = { cwd: this.#cwd, env: this.#env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX }
      const { stdout } = await run('git', args, options)
      return stdout.replace(/\n$/, '')
    } catch {
      return undefined
    }
  }
}
