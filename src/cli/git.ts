/** Reads the state of a working tree from git: remote, branch, base branch. Every call has a timeout. */
import { outputOf } from './program-output.ts'
import { parseRemote, type RemoteAddress } from './remote.ts'

const TIMEOUT_MS = 15_000

/** Tried if the default branch of the remote is unknown. */
const COMMON_BASES = ['main', 'master', 'trunk', 'develop']

export interface GitCall {
  /** Default and maximum: 15 s. */
  timeout_ms?: number
}

export class Git {
  readonly #cwd: string
  readonly #env: Record<string, string | undefined>

  constructor(cwd: string, env: Record<string, string | undefined>) {
    this.#cwd = cwd
    this.#env = {
      ...env,
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      // These variables would override options of the command line.
      GIT_DIFF_OPTS: undefined,
      GIT_LITERAL_PATHSPECS: undefined,
    }
  }

  /** The top directory of the working tree; undefined outside of one. */
  root(): Promise<string | undefined> {
    return this.output(['rev-parse', '--show-toplevel'])
  }

  /** The git directory of this working tree. Each linked working tree has its own. */
  gitDirectory(): Promise<string | undefined> {
    return this.output(['rev-parse', '--absolute-git-dir'])
  }

  /** The git directory of the main working tree, which linked ones share. */
  commonDirectory(): Promise<string | undefined> {
    return this.output(['rev-parse', '--path-format=absolute', '--git-common-dir'])
  }

  hooksDirectory(): Promise<string | undefined> {
    return this.output(['rev-parse', '--path-format=absolute', '--git-path', 'hooks'])
  }

  /** The checked-out branch; undefined on a detached HEAD. */
  branch(): Promise<string | undefined> {
    return this.output(['symbolic-ref', '--short', '-q', 'HEAD'])
  }

  config(name: string): Promise<string | undefined> {
    return this.output(['config', '--get', name])
  }

  /** The remote of the branch, else `origin`, else the only one. */
  async remote(
    branch: string | undefined,
  ): Promise<{ name: string; address: RemoteAddress | undefined } | undefined> {
    const [list = '', own] = await Promise.all([
      this.output(['remote', '-v']),
      branch && this.config(`branch.${branch}.remote`),
    ])
    const lines = [...list.matchAll(/^(.+?)\t(.*) \(fetch\)/gm)]
    const urls = new Map(lines.map(([, name = '', url = '']) => [name, url]))
    const name = [own, 'origin', ...(urls.size === 1 ? urls.keys() : [])].find(
      (each) => each && urls.has(each),
    )
    return name ? { name, address: parseRemote(urls.get(name) as string) } : undefined
  }

  /** The default branch of the remote, else a common name that exists. */
  async base(remote: string | undefined): Promise<string | undefined> {
    if (remote) {
      const head = await this.output(['symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`])
      if (head?.startsWith(`${remote}/`)) return head.slice(remote.length + 1)
    }
    const common = COMMON_BASES.flatMap((name) => refsOf(name, remote))
    const found = (await this.output(['for-each-ref', '--format=%(refname)', ...common]))?.split('\n') ?? []
    return COMMON_BASES.find((name) => refsOf(name, remote).some((ref) => found.includes(ref)))
  }

  /** The merge base of HEAD and `branch`. The remote's branch is used if it exists, because others have the same one. */
  async mergeBase(branch: string, remote: string | undefined): Promise<string | undefined> {
    for (const ref of refsOf(branch, remote)) {
      const sha = await this.output(['merge-base', 'HEAD', ref])
      if (sha) return sha
    }
    return undefined
  }

  /** Standard output without the final newline; undefined if git fails, times out or is not installed. */
  async output(args: string[], { timeout_ms = TIMEOUT_MS }: GitCall = {}): Promise<string | undefined> {
    const options = { cwd: this.#cwd, env: this.#env, timeout_ms: Math.min(TIMEOUT_MS, timeout_ms) }
    return (await outputOf('git', args, options))?.replace(/\n$/, '')
  }
}

/** The full names that a branch may have, the remote one first. */
function refsOf(branch: string, remote: string | undefined): string[] {
  return [...(remote ? [`refs/remotes/${remote}/${branch}`] : []), `refs/heads/${branch}`]
}
