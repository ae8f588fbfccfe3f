/** Reads the state of a working tree from git: configuration, remote, branch, base branch. Every call has a timeout. */
import { resolve } from 'node:path'
import { findTree, readBranch } from './git-directory.ts'
import { outputOf } from './program-output.ts'

const TIMEOUT_MS = 15_000
/** For calls that go to a remote. */
const REMOTE_TIMEOUT_MS = 120_000

/** Tried if the default branch of the remote is unknown. */
const COMMON_BASES = ['main', 'master', 'trunk', 'develop']

export interface GitCall {
  /** Default and maximum: 15 s. */
  timeout_ms?: number
  input?: string
  /** The exit code with which git says that there is nothing: the output is empty then. */
  none?: number
}

/** What git said when a call that goes to a remote failed. */
export class RemoteError extends Error {}

type Answers = Map<string, Promise<string | undefined>>

export class Git {
  readonly #cwd: string
  readonly #env: Record<string, string | undefined>
  readonly #answers: Answers | undefined

  /**
   * Runs git at the root of the working tree around `cwd`: a directory of a clone can be a bare repository itself, whose configuration
   * names commands that git runs. `answers`: what git has said. It is not asked the same again.
   */
  constructor(cwd: string, env: Record<string, string | undefined>, answers?: Answers) {
    this.#cwd = findTree(cwd)?.root ?? cwd
    this.#answers = answers
    this.#env = {
      ...env,
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      // These variables would override options of the command line, and in a hook of git the directory that git is called in.
      ...{ GIT_DIFF_OPTS: undefined, GIT_LITERAL_PATHSPECS: undefined },
      ...{ GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_COMMON_DIR: undefined },
    }
  }

  /** Git in another working tree, which has an index of its own. */
  in(cwd: string): Git {
    return new Git(cwd, { ...this.#env, GIT_INDEX_FILE: undefined }, this.#answers)
  }

  /** Git as it is now: what it says once holds from then on. */
  atOneMoment(): Git {
    return new Git(this.#cwd, this.#env, this.#answers ?? new Map())
  }

  /** Git before 2.31 has no `--path-format`, and prints unknown options. It names paths relative to the working directory. */
  async hooksDirectory(): Promise<string | undefined> {
    const path = await this.output(['rev-parse', '--git-path', 'hooks'])
    return path && resolve(this.#cwd, path)
  }

  /** Says why there is no repository, for a message: git also fails if it is not installed, or distrusts the owner of the files. */
  async missing(): Promise<string> {
    if ((await this.output(['--version'])) === undefined) return 'git is not on the PATH; install it'
    const root = findTree(this.#cwd)?.root
    if ((await this.output(['rev-parse', '--is-bare-repository'])) === 'true')
      return 'a bare repository has no files; change to one of its working trees'
    return root === undefined
      ? 'not a git repository; change to one'
      : `git cannot read the repository ${root}; run git status to see why`
  }

  /** The branch that is checked out or rebased; undefined on another detached HEAD. */
  async branch(git_directory = findTree(this.#cwd)?.git_directory): Promise<string | undefined> {
    const read = git_directory === undefined ? undefined : readBranch(git_directory)
    return read === undefined ? this.output(['symbolic-ref', '--short', '-q', 'HEAD']) : (read ?? undefined)
  }

  /** The person, and the remote of `branch`. */
  async configuration(branch: string | undefined): Promise<GitConfiguration> {
    return readConfiguration(await this.output(CONFIGURATION_ARGS), branch)
  }

  /** The default branch of the remote, else a common name that exists. */
  async base(remote: string | undefined): Promise<string | undefined> {
    const names = ['HEAD', ...COMMON_BASES].flatMap((name) => refsOf(name, remote))
    const targets = await this.refs('symref', names)
    const ofRemote = `refs/remotes/${remote}/`
    const head = targets.get(`${ofRemote}HEAD`)
    if (head?.startsWith(ofRemote)) return head.slice(ofRemote.length)
    return COMMON_BASES.find((name) => refsOf(name, remote).some((ref) => targets.has(ref)))
  }

  /** The commits of a branch, of the remote's first; none if it is unknown. */
  async commitsOf(branch: string | undefined, remote: string | undefined): Promise<string[]> {
    if (branch === undefined) return []
    const refs = refsOf(branch, remote)
    const shas = await this.refs('objectname', refs)
    return refs.flatMap((ref) => shas.get(ref) ?? [])
  }

  /** What git says of the references that exist, by their full names. */
  async refs(field: 'objectname' | 'symref', patterns: readonly string[]): Promise<Map<string, string>> {
    const listed = await this.output(['for-each-ref', `--format=%(refname) %(${field})`, ...patterns])
    const lines = listed?.split('\n').filter(Boolean) ?? []
    return new Map(lines.map((line) => line.split(' ') as [string, string]))
  }

  /**
   * The merge base of `from` and `branch`: empty if they have none, undefined if git fails. The remote's branch is used if it
   * exists, because others have the same one.
   */
  async mergeBase(branch: string, remote: string | undefined, from = 'HEAD'): Promise<string | undefined> {
    let found: string | undefined
    for (const ref of refsOf(branch, remote)) {
      found = (await this.output(['merge-base', from, ref], { none: 1 })) ?? found
      if (found) return found
    }
    return found
  }

  /** Standard output without the final newline; undefined if git fails, times out or is not installed. */
  async output(
    args: string[],
    { timeout_ms = TIMEOUT_MS, input, none }: GitCall = {},
  ): Promise<string | undefined> {
    const limits = { timeout_ms: Math.min(TIMEOUT_MS, timeout_ms), input, none }
    const key = JSON.stringify([this.#cwd, args, input])
    const answer =
      this.#answers?.get(key) ?? outputOf('git', args, { cwd: this.#cwd, env: this.#env, ...limits })
    this.#answers?.set(key, answer)
    return (await answer)?.replace(/\n$/, '')
  }

  /** The output of a call that goes to a remote, with the credentials of git. Throws `RemoteError`. */
  async fromRemote(args: string[]): Promise<string> {
    let why = ''
    const output = await outputOf('git', args, {
      cwd: this.#cwd,
      env: this.#env,
      timeout_ms: REMOTE_TIMEOUT_MS,
      onFailure: (errors) => {
        why = errors.trim().split('\n')[0] || 'it did not answer in time'
      },
    })
    if (output === undefined) throw new RemoteError(why || 'git is not on the PATH')
    return output
  }
}

/** The full names that a branch may have, the remote one first. */
export function refsOf(branch: string, remote: string | undefined): string[] {
  return [...(remote ? [`refs/remotes/${remote}/${branch}`] : []), `refs/heads/${branch}`]
}

/** `-z`: each entry is `KEY\nVALUE\0`. Git writes sections and variables in lower case, and subsections as they are. */
export const CONFIGURATION_ARGS = [
  'config',
  '-z',
  '--get-regexp',
  String.raw`^(user\.name|remote\..*\.url|branch\..*\.remote|url\..*\.insteadof)$`,
]

export interface GitConfiguration {
  /** `user.name`. */
  person: string | undefined
  /** The remote of the branch, else `origin`, else the only one. `url` is that of a fetch. */
  remote: { name: string; url: string } | undefined
}

/** `output`: undefined if git failed, as it does if no key matches. */
export function readConfiguration(output: string | undefined, branch: string | undefined): GitConfiguration {
  const entries = (output ?? '').split('\0').flatMap((entry) => {
    const [key = '', value] = entry.split(/\n(.*)/s)
    return value === undefined ? [] : [{ key, value }]
  })
  const last = (wanted: string) => entries.findLast(({ key }) => key === wanted)?.value
  const urls = new Map<string, string>()
  for (const { key, value } of entries) {
    const [, name] = /^remote\.(.*)\.url$/s.exec(key) ?? []
    // A fetch uses the first of several URLs.
    if (name !== undefined && !urls.has(name)) urls.set(name, value)
  }
  const own = branch === undefined ? undefined : last(`branch.${branch}.remote`)
  const name = [own, 'origin', ...(urls.size === 1 ? urls.keys() : [])].find(
    (each) => each !== undefined && urls.has(each),
  )
  return {
    person: last('user.name'),
    remote: name === undefined ? undefined : { name, url: rewritten(urls.get(name) as string, entries) },
  }
}

/** Applies `url.BASE.insteadOf`: the longest prefix wins. */
function rewritten(url: string, entries: { key: string; value: string }[]): string {
  const rules = entries.flatMap(({ key, value: prefix }) => {
    const [, base] = /^url\.(.*)\.insteadof$/s.exec(key) ?? []
    return base !== undefined && url.startsWith(prefix) ? [{ base, prefix }] : []
  })
  const [rule] = rules.sort((a, b) => b.prefix.length - a.prefix.length)
  return rule === undefined ? url : `${rule.base}${url.slice(rule.prefix.length)}`
}
