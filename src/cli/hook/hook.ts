/**
 * `deconflict hook`, which coding agents run. It reports the session's work, warns of overlap, and never blocks the agent.
 * The build bundles this module with all that it imports, none of which may load a schema: most hooks have nothing to do.
 */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Git } from '../../git/git.ts'
import { findTree, isBare, otherTreeOf, readBranch, type WorkingTree } from '../../git/git-directory.ts'
import { parsedJson, sanitize } from '../../vocabulary/text.ts'
import { type Agent, HOOK_EVENTS, type HookEvent } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { updateRecord } from '../local-state.ts'
import { EXIT, type ExitCode, type Runtime } from '../runtime.ts'
import { fileInTree, viewOf } from '../tree-paths.ts'
import { type HookInput, readHookInput } from './payload.ts'
import { type HookOptions, pauseAfter, runInTree } from './run.ts'

/** Locks, git and requests end this long before the hook, so that it can record that the service did not respond. */
const END_MS = 100
/** Input up to this size ends with its JSON: the hook waits neither for the agent to close the stream nor for Node.js to. */
const SELF_ENDING_MAX = 65_536
const WITH_VALUE = ['--agent', '--url', '--repo']
/** The maximum number of files that are found in the words of a prompt or of a shell command. */
const NAMED_MAX = 20

/**
 * `args`: the event and the options. Always returns 0, at most `runtime.hook_limit_ms` after the start of the process. An
 * error is written to standard error as one line, and has no other effect.
 */
export async function hook(runtime: Runtime, args: string[]): Promise<ExitCode> {
  const left_ms = () => Math.max(1, runtime.hook_limit_ms - runtime.uptime_ms())
  try {
    const { event, given, options } = parseHookArgs(args)
    const text = await inTime(
      readInput(runtime.stdin),
      left_ms(),
      'the agent did not close the standard input of the hook',
    )
    const input = readHookInput(event, given, text)
    const { agent, reason, prompt, subagent } = input
    const from = input.cwd ?? runtime.cwd
    // Of a working tree that was removed, the repository around it is another one.
    const here = existsSync(from) ? findTree(from) : undefined
    // An agent edits in other working trees without going there. A patch of its own one too counts here.
    const elsewhere = here ? input.edits.map((file) => otherTreeOf(here, resolve(from, file))) : []
    const other = elsewhere.every(Boolean) ? elsewhere[0] : undefined
    const [tree, cwd] = other ? [other, other.root] : [here, from]
    if (tree === undefined || isBare(tree) || !(await isTrusted(tree, runtime.env, left_ms())))
      return EXIT.clear
    const now = runtime.clock().getTime()
    const runOf = (outcome: string) => ({ at: now, event, agent: agent.name, outcome })
    const situation = {
      ...{ event, agent: agent.name, is_heard: agent.heard.includes(event), reason, subagent, now },
      prompt,
      branch: readBranch(tree.git_directory),
      ...filesIn(tree, from, input),
    }
    const run = {
      ...{ runtime, cwd, options, tree, input, situation },
      left_ms: () => Math.max(1, left_ms() - END_MS),
    }
    try {
      const { message, outcome } = await inTime(runInTree(run), left_ms(), 'the hook took too long')
      updateRecord(tree.git_directory, { last: runOf(outcome) })
      if (message === '') return EXIT.clear
      const answer = agent.answer(message, event, input.agent_event)
      runtime.stdout.write(`${JSON.stringify(answer)}\n`)
    } catch (error) {
      pauseAfter(run, error)
      const failed = runOf((error as Error).message)
      updateRecord(tree.git_directory, { last: failed, failed })
      throw error
    }
  } catch (error) {
    runtime.stderr.write(`deconflict: ${sanitize((error as Error).message)}\n`)
  }
  return EXIT.clear
}

/** Git distrusts a repository of another user, who can have written what hooks would say. */
async function isTrusted(tree: WorkingTree, env: Runtime['env'], timeout_ms: number): Promise<boolean> {
  const isOwn = [undefined, statSync(tree.git_directory).uid].includes(process.getuid?.())
  const git = new Git(tree.root, env)
  return isOwn || (await git.output(['rev-parse', '--git-dir'], { timeout_ms })) !== undefined
}

/**
 * Unknown options are ignored, so that a hook file can be newer than the command. `util.parseArgs` takes longer to load than
 * all of this.
 */
function parseHookArgs(args: string[]) {
  const given = new Map<string, string | undefined>()
  const words: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', value] = (args[at] as string).split(/=(.*)/s)
    if (!name.startsWith('--')) words.push(args[at] as string)
    else if (WITH_VALUE.includes(name) && value === undefined) given.set(name, args[++at])
    else given.set(name, value)
  }
  const options: HookOptions = {
    url: given.get('--url'),
    repo: given.get('--repo'),
    insecure: given.has('--insecure'),
    without_titles: given.has('--no-titles'),
  }
  const event: HookEvent = oneOf(HOOK_EVENTS, 'the event', words[0])
  const names = AGENTS.map(({ name }) => name)
  const name = oneOf(names, '--agent', given.get('--agent'))
  return { event, given: AGENTS[names.indexOf(name)] as Agent, options }
}

function oneOf<Name extends string>(names: readonly Name[], what: string, given: string | undefined): Name {
  const name = names.find((each) => each === given)
  if (name) return name
  throw new Error(`${what} must be one of ${names.join(', ')}${given === undefined ? '' : `, not ${given}`}`)
}

async function inTime<Result>(work: Promise<Result>, timeout_ms: number, problem: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(problem)), timeout_ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The edited and read files, relative to the root of the working tree. Words that name an existing file count as read. */
function filesIn(
  tree: WorkingTree,
  cwd: string,
  { edits, reads, words, shell_cwd }: HookInput,
): { edits: string[]; reads: string[] } {
  const inside = (files: string[], from = cwd) =>
    files.flatMap((file) => {
      const name = fileInTree(file, viewOf(tree.root, from))
      return name && !/^\.git(?:\/|$)/.test(name) ? [name] : []
    })
  const from = resolve(cwd, shell_cwd ?? '.')
  const isFile = (file: string) => {
    try {
      return statSync(resolve(from, file)).isFile()
    } catch {
      // It does not exist, must not be read, or is no path at all.
      return false
    }
  }
  const named = words.filter(isFile).slice(0, NAMED_MAX)
  return { edits: inside(edits), reads: [...new Set([...inside(reads), ...inside(named, from)])] }
}

async function readInput(stdin: Runtime['stdin']): Promise<string> {
  if (stdin.isTTY) return ''
  const chunks: Buffer[] = []
  let size = 0
  // An iterator would load more modules.
  return new Promise((resolve, reject) => {
    stdin.on('data', (chunk: Buffer | string) => {
      size += chunk.length
      chunks.push(Buffer.from(chunk))
      if (size > SELF_ENDING_MAX) return
      const text = Buffer.concat(chunks).toString('utf8')
      if (!text.trimEnd().endsWith('}') || parsedJson(text) === undefined) return
      stdin.pause()
      resolve(text)
    })
    stdin.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    stdin.on('error', reject)
  })
}
