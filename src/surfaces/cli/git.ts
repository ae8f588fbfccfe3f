/** Reads the state of a working tree from git: remote, branch, base branch. Every call has a timeout. */
import { parseRemote, type RemoteAddress } from './remote.ts'

const TIMEOUT_MS = 15_000
const OUTPUT_MAX = 64 * 1_048_576

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
      // These override options of the command line.
      GIT_DIFF_OPTS: undefined,
      GIT_LITERAL_PATHSPECS: undefined,
    }
  }

  /** The top directory of the working tree; undefined outside of one. */
  root(): Promise<string | undefined> {
    return this.output(['rev-parse', '--show-toplevel'])
  }

  /** The git directory of this working tree; linked working trees have one each. */
  gitDirectory(): Promise<string | undefined> {
    return this.output(['rev-parse', '--absolute-git-dir'])
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
    const names = (await this.output(['remote']))?.split('\n').filter(Boolean) ?? []
    const own = branch && (await this.config(`branch.${branch}.remote`))
    const name = [own, 'origin', names.length === 1 ? names[0] : undefined].find(
      (each) => each && names.includes(each),
    )
    if (!name) return undefined
    const url = await this.output(['remote', 'get-url', name])
    return { name, address: url === undefined ? undefined : parseRemote(url) }
  }

  /** The default branch of the remote, else a common name that exists. */
  async base(remote: string | undefined): Promise<string | undefined> {
    if (remote) {
      const head = await this.output(['symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`])
      if (head?.startsWith(`${remote}/`)) return head.slice(remote.length + 1)
    }
    for (const name of COMMON_BASES) if (await this.refOf(name, remote)) return name
    return undefined
  }

  /** The full name of a branch: of the remote branch if there is one, because others have it too, else of the local one. */
  async refOf(branch: string, remote: string | undefined): Promise<string | undefined> {
    const refs = [...(remote ? [`refs/remotes/${remote}/${branch}`] : []), `refs/heads/${branch}`]
    for (const ref of refs)
      if ((await this.output(['rev-parse', '-q', '--verify', ref])) !== undefined) return ref
    return undefined
  }

  /** Standard output without the final newline; undefined if git fails, times out or is not installed. */
  async output(args: string[], { timeout_ms = TIMEOUT_MS }: GitCall = {}): Promise<string | undefined> {
    // A hook that calls no git is faster without this module.
    const { execFile } = await import('node:child_process')
    const options = {
      cwd: this.#cwd,
      env: this.#env,
      // A timeout of 0 would mean no limit.
      timeout: Math.max(1, Math.ceil(Math.min(TIMEOUT_MS, timeout_ms))),
      maxBuffer: OUTPUT_MAX,
    }
    return new Promise((resolve) => {
      const child = execFile('git', args, options, (error, stdout) =>
        resolve(error ? undefined : stdout.replace(/\n$/, '')),
      )
      child.stdin?.end()
    })
  }
}
