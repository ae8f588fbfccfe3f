/** What git knows of a working tree: repository, branch, base, and the paths that are touched. Every call is bounded. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseRemote, type Remote } from './remote.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 15_000
const OUTPUT_MAX = 64 * 1_048_576

/** What a base branch is called where the remote does not say which one it is. */
const USUAL_BASES = ['main', 'master', 'trunk', 'develop']

/** The diff names both ends of a rename: whoever works on the old path is concerned too. */
const DIFF = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff']

/** Of the whole working tree, also from below its root. */
const FILES = ['ls-files', '-z', '--full-name']

export class Git {
  readonly #cwd: string
  readonly #env: Record<string, string | undefined>

  constructor(cwd: string, env: Record<string, string | undefined>) {
    this.#cwd = cwd
    this.#env = { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
  }

  /** The top of the working tree; undefined outside of one. */
  root(): Promise<string | undefined> {
    return this.#ask('rev-parse', '--show-toplevel')
  }

  /** The directory of git for this working tree alone, also where it is one of several. */
  gitDirectory(): Promise<string | undefined> {
    return this.#ask('rev-parse', '--absolute-git-dir')
  }

  /** Where git looks for its hooks. */
  hooksDirectory(): Promise<string | undefined> {
    return this.#ask('rev-parse', '--path-format=absolute', '--git-path', 'hooks')
  }

  /** The branch that is checked out; undefined on a detached HEAD. */
  branch(): Promise<string | undefined> {
    return this.#ask('symbolic-ref', '--short', '-q', 'HEAD')
  }

  config(name: string): Promise<string | undefined> {
    return this.#ask('config', '--get', name)
  }

  /** The remote that the branch belongs to: its own, else `origin`, else the only one. */
  async remote(branch: string | undefined): Promise<{ name: string; at: Remote | undefined } | undefined> {
    const names = (await this.#ask('remote'))?.split('\n').filter(Boolean) ?? []
    const own = branch && (await this.config(`branch.${branch}.remote`))
    const name = [own, 'origin', names.length === 1 ? names[0] : undefined].find(
      (each) => each && names.includes(each),
    )
    if (!name) return undefined
    const address = await this.#ask('remote', 'get-url', name)
    return { name, at: address === undefined ? undefined : parseRemote(address) }
  }

  /** The branch that work of this repository merges into, as far as git knows. */
  async base(remote: string | undefined): Promise<string | undefined> {
    if (remote) {
      const head = await this.#ask('symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`)
      if (head?.startsWith(`${remote}/`)) return head.slice(remote.length + 1)
    }
    for (const name of USUAL_BASES) if (await this.#refOf(name, remote)) return name
    return undefined
  }

  /**
   * Paths that the branch changes against `base`, and those of the index or, unless `staged_only`, of the whole working
   * tree, new files included. Relative to the root, sorted.
   */
  async changedPaths(
    base: string | undefined,
    { remote, staged_only }: { remote: string | undefined; staged_only: boolean },
  ): Promise<string[]> {
    const lists = [await this.#branchDiff(base, remote)]
    const hasCommits = (await this.#ask('rev-parse', '-q', '--verify', 'HEAD')) !== undefined
    if (staged_only) lists.push(await this.#ask(...DIFF, '--cached', ...(hasCommits ? ['HEAD'] : [])))
    else {
      lists.push(await this.#ask(...(hasCommits ? [...DIFF, 'HEAD'] : [...FILES, '--cached', ':/'])))
      lists.push(await this.#ask(...FILES, '--others', '--exclude-standard', ':/'))
    }
    return [...new Set(lists.flatMap((list) => list?.split('\0') ?? []))].filter(Boolean).sort()
  }

  async #branchDiff(base: string | undefined, remote: string | undefined): Promise<string | undefined> {
    const ref = base && (await this.#refOf(base, remote))
    const fork = ref && (await this.#ask('merge-base', 'HEAD', ref))
    return fork ? this.#ask(...DIFF, fork, 'HEAD') : undefined
  }

  /** The full name of a branch, the remote's before the local one: that is what others have. */
  async #refOf(branch: string, remote: string | undefined): Promise<string | undefined> {
    const refs = [...(remote ? [`refs/remotes/${remote}/${branch}`] : []), `refs/heads/${branch}`]
    for (const ref of refs)
      if ((await this.#ask('rev-parse', '-q', '--verify', ref)) !== undefined) return ref
    return undefined
  }

  /** The output without its last line end; undefined when git fails or is not there. */
  async #ask(...args: string[]): Promise<string | undefined> {
    try {
      const options = { cwd: this.#cwd, env: this.#env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX }
      const { stdout } = await run('git', args, options)
      return stdout.replace(/\n$/, '')
    } catch {
      return undefined
    }
  }
}
