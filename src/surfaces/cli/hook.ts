/** `deconflict hook`, which coding agents run. It reports the session's work and warns of overlap, and never blocks the agent. */
import { AGENTS, HOOK_EVENTS, type HookEvent, hookOutput, parseHookInput } from './agent-protocol.ts'
import { AgentSession } from './agent-session.ts'
import type { CommonOptions } from './command-context.ts'
import { connect } from './connection.ts'
import {
  branchKey,
  deleteState,
  type LocalState,
  NO_STATE,
  readState,
  sessionKey,
  stateDirectory,
  writeState,
} from './local-state.ts'
import { withLock } from './lock.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { sanitize } from './terminal.ts'
import { findWorkspace, type Workspace } from './workspace.ts'

export interface HookOptions extends CommonOptions {
  agent: string
}

/**
 * The agent waits for a hook, and kills it after ten seconds. Counted from the start of the process, a hook waits for the
 * lock until `LOCK_DEADLINE_MS` and ends by `DEADLINE_MS`. All its requests together get `REQUESTS_MS`, with no retries.
 */
const LOCK_DEADLINE_MS = 6000
const DEADLINE_MS = 8500
const REQUESTS_MS = 4000
/** The input of an edit can contain a whole file. */
const INPUT_MAX = 33_554_432

/** Always returns 0: an error is one line on standard error, and nothing else. */
export async function hook(runtime: Runtime, event: string, options: HookOptions): Promise<ExitCode> {
  try {
    const agent = oneOf(AGENTS, options.agent)
    const known = oneOf(HOOK_EVENTS, event)
    const output = hookOutput(agent, known, await handle(runtime, known, options))
    if (output !== '') runtime.stdout.write(`${output}\n`)
  } catch (error) {
    runtime.stderr.write(`deconflict: ${sanitize((error as Error).message)}\n`)
  }
  return EXIT.clear
}

function oneOf<Name extends string>(names: readonly Name[], given: string): Name {
  const name = names.find((each) => each === given)
  if (!name) throw new Error(`${given} is not one of ${names.join(', ')}`)
  return name
}

/** The message for the agent; empty if there is none. */
async function handle(runtime: Runtime, event: HookEvent, options: HookOptions): Promise<string> {
  const input = parseHookInput(await readInput(runtime.stdin))
  const local = { ...runtime, cwd: input.cwd ?? runtime.cwd }
  const workspace = await findWorkspace(local, options)
  const { git_directory } = workspace
  if (git_directory === null) return ''
  const key = sessionKey(`${options.agent} ${input.session}`)
  const lock = {
    directory: stateDirectory(git_directory),
    key,
    timeout_ms: LOCK_DEADLINE_MS - runtime.uptime_ms(),
  }
  // An agent edits files in parallel, and runs a hook for each edit.
  return withLock(lock, async () => {
    const session = new AgentSession({
      runtime: local,
      workspace,
      agent: options.agent,
      state: await initialState(git_directory, key, workspace),
      connect: () =>
        connect(local, workspace, { url: options.url, insecure: options.insecure, ...limits(runtime) }),
    })
    const message = await session.handle(event, input)
    if (session.state.activity_id === null) await deleteState(git_directory, key)
    else await writeState(git_directory, key, session.state)
    return message
  })
}

function limits({ uptime_ms }: Runtime) {
  return { attempts: 1, budget_ms: Math.max(0, Math.min(REQUESTS_MS, DEADLINE_MS - uptime_ms())) }
}

/** The state of the session; a new session borrows the activity that `deconflict start` created for the branch. */
async function initialState(git_directory: string, key: string, { branch }: Workspace): Promise<LocalState> {
  const own = await readState(git_directory, key)
  if (own.activity_id !== null || branch === null) return own
  const started = await readState(git_directory, branchKey(branch))
  return started.activity_id === null ? NO_STATE : { ...started, is_borrowed: true }
}

async function readInput(stdin: Runtime['stdin']): Promise<string> {
  if (stdin.isTTY) return ''
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    size += chunk.length
    if (size > INPUT_MAX) return ''
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks).toString('utf8')
}
