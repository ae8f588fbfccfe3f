/** Scratch worktrees: merges of commits in a temporary directory, which are always removed. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sanitize } from '../../vocabulary/others-text.ts'
import { CliError } from '../runtime.ts'
import { withoutTokens } from './command-run.ts'

const run = promisify(execFile)
const OUTPUT_MAX = 64 * 1_048_576
/** Fetching a large history takes minutes. */
const GIT_TIMEOUT_MS = 1_800_000
/** Where fetched commits are kept while a command runs. */
const REFS = 'refs/deconflict/prove'

/** Without configuration that would run programs, ask for keys, resolve conflicts or fail without a person. */
const PLAIN = Object.entries({
  'core.hooksPath': '/dev/null',
  'commit.gpgSign': 'false',
  'rerere.enabled': 'false',
  'gc.auto': '0',
  'user.name': 'Deconflict',
  'user.email': 'deconflict@localhost',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`])

interface Clone {
  cwd: string
  env: Record<string, string | undefined>
  remote: string
}

/** The clone that a command works in. */
export class Scratch {
  readonly #clone: Clone
  readonly #directory: string
  readonly #refs = new Set<string>()
  #worktrees = 0

  private constructor(clone: Clone, directory: string) {
    this.#clone = clone
    this.#directory = directory
  }

  /** Runs `work` in the clone, and then removes all that it created. */
  static async use<Result>(clone: Clone, work: (scratch: Scratch) => Promise<Result>): Promise<Result> {
    const directory = await mkdtemp(join(tmpdir(), 'deconflict-prove-'))
    const scratch = new Scratch(clone, directory)
    try {
      return await work(scratch)
    } finally {
      await scratch.#remove()
    }
  }

  /**
   * Fetches pull requests and the base branch, with the history that merges need. Returns the commit of each by its
   * number, and that of the base. Throws `CliError` if the remote does not have one of them.
   */
  async fetch(
    numbers: readonly number[],
    base_branch: string,
  ): Promise<{ heads: Map<number, string>; base: string }> {
    const base_ref = `${REFS}/base`
    const refOf = (number: number) => `${REFS}/${number}`
    for (const ref of [base_ref, ...numbers.map(refOf)]) this.#refs.add(ref)
    const isShallow = (await this.#git(['rev-parse', '--is-shallow-repository'])) === 'true'
    await this.#git(
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--force',
        ...(isShallow ? ['--unshallow'] : []),
        this.#clone.remote,
        `+refs/heads/${base_branch}:${base_ref}`,
        ...numbers.map((number) => `+refs/pull/${number}/head:${refOf(number)}`),
      ],
      { env: tokenOfRun(this.#clone.env) },
    )
    const commitOf = (ref: string) => this.#git(['rev-parse', '--verify', `${ref}^{commit}`])
    const heads = new Map<number, string>()
    for (const number of numbers) heads.set(number, await commitOf(refOf(number)))
    return { heads, base: await commitOf(base_ref) }
  }

  /** Runs `work` in a worktree of `base` with `heads` merged into it. Null if git cannot merge them. */
  async within<Result>(
    { base, heads }: { base: string; heads: readonly string[] },
    work: (path: string) => Promise<Result>,
  ): Promise<Result | null> {
    this.#worktrees += 1
    const path = join(this.#directory, `${this.#worktrees}`)
    try {
      await this.#git(['worktree', 'add', '--quiet', '--detach', path, base])
      for (const head of heads) if (!(await this.#merge(path, head))) return null
      return await work(path)
    } finally {
      await this.#removeWorktree(path)
    }
  }

  async #merge(path: string, head: string): Promise<boolean> {
    try {
      await this.#git(['merge', '--quiet', '--no-ff', '--no-edit', head], { cwd: path })
      return true
    } catch (error) {
      const isConflict = (await this.#git(['ls-files', '--unmerged'], { cwd: path })) !== ''
      if (isConflict) return false
      throw error
    }
  }

  async #removeWorktree(path: string): Promise<void> {
    // The command may have left files that git does not remove.
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
    await this.#git(['worktree', 'prune'])
  }

  async #remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 })
    await this.#git(['worktree', 'prune']).catch(() => {})
    for (const ref of this.#refs) await this.#git(['update-ref', '-d', ref]).catch(() => {})
  }

  /** Standard output without the final newline. Throws `CliError` with what git says. */
  async #git(
    args: string[],
    { cwd = this.#clone.cwd, env: added }: { cwd?: string; env?: Clone['env'] } = {},
  ): Promise<string> {
    const env = { ...withoutTokens(this.#clone.env), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...added }
    try {
      const { stdout } = await run('git', [...PLAIN, ...args], {
        cwd,
        env,
        timeout: GIT_TIMEOUT_MS,
        maxBuffer: OUTPUT_MAX,
      })
      return stdout.replace(/\n$/, '')
    } catch (error) {
      const said = `${(error as { stderr?: string }).stderr ?? ''}`.trim().split('\n').at(-1)
      throw new CliError(`git ${args[0]} failed: ${sanitize(said || (error as Error).message)}`)
    }
  }
}

/**
 * Settings with which git sends the token of a workflow run to GitHub, and to no other host: the checkout of a private
 * repository may keep no credentials. Empty outside of a run.
 */
function tokenOfRun(env: Clone['env']): Clone['env'] {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL, GITHUB_TOKEN, GH_TOKEN, GIT_CONFIG_COUNT } = env
  const token = GITHUB_TOKEN || GH_TOKEN
  if (GITHUB_ACTIONS !== 'true' || !GITHUB_SERVER_URL || !token) return {}
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
  const first = Number(GIT_CONFIG_COUNT || 0)
  // The empty value removes the header of a checkout that did keep its credentials: GitHub refuses two.
  const settings = ['', header].flatMap((value, at) => [
    [`GIT_CONFIG_KEY_${first + at}`, `http.${GITHUB_SERVER_URL}/.extraheader`],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ])
  return { GIT_CONFIG_COUNT: `${first + 2}`, ...Object.fromEntries(settings) }
}
