/** The checks of `deconflict doctor` on the hooks of a working tree: installed, trusted, and how the last one ended. */
import { constants } from 'node:fs'
import { access, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DeconflictError } from '../../client/client-error.ts'
import { Git } from '../../git/git.ts'
import { findTree, type WorkingTree } from '../../git/git-directory.ts'
import { programFiles } from '../../git/program-output.ts'
import { CONTENT_MAX, contentOf } from '../../git/small-files.ts'
import { DAY_MS } from '../../vocabulary/clock.ts'
import type { Home, TrustFinding } from '../agents/agent.ts'
import { HOOKED_AGENTS, type HookedAgent, hookTarget, shownPath } from '../init/agent-hooks.ts'
import { isWritten } from '../init/plan.ts'
import { homeOf, targetsOf, USER_PARTS } from '../init/targets.ts'
import { readRecord } from '../local-state.ts'
import { CliError, type Runtime } from '../runtime.ts'
import { relativeTime } from '../terminal.ts'

type Places = WorkingTree & { home: Home }

const AGENT_PARTS = USER_PARTS.filter((part) => part !== 'git')

export interface Finding extends TrustFinding {
  name: string
}

/** Adds a check that is ok unless `check` throws. */
export async function attempt(
  checks: Finding[],
  name: string,
  check: () => string | Promise<string>,
): Promise<boolean> {
  try {
    checks.push({ name, is_ok: true, message: await check() })
    return true
  } catch (error) {
    if (!(error instanceof CliError || error instanceof DeconflictError)) throw error
    checks.push({ name, is_ok: false, message: error.message })
    return false
  }
}

/** Adds the checks; none outside of a working tree. */
export async function hookChecks(runtime: Runtime, checks: Finding[]): Promise<void> {
  const found = findTree(runtime.cwd)
  if (found === undefined) return
  const tree = { ...found, home: homeOf(runtime.env) }
  const hooks_directory = (await new Git(runtime.cwd, runtime.env).hooksDirectory()) ?? ''
  const trust = await Promise.all(
    HOOKED_AGENTS.flatMap((agent) => [undefined, tree.home].map((user) => checkTrust(agent, tree, user))),
  )
  await attempt(checks, 'command', () => checkCommand(runtime))
  await attempt(checks, 'hooks', () => checkFiles(tree, hooks_directory))
  checks.push(...trust.flat())
  await attempt(checks, 'last hook', () => checkLastRun(runtime, tree))
}

async function checkCommand({ env }: Runtime): Promise<string> {
  const files = programFiles('deconflict', { env, platform: process.platform })
  const isRunnable = (file: string) =>
    access(file, constants.X_OK)
      .then(() => true)
      .catch(() => false)
  for (const file of files) if (await isRunnable(file)) return file
  throw new CliError('deconflict is not on the PATH, so hooks do nothing; install it, or add it to PATH')
}

async function checkFiles(tree: Places, hooks_directory: string): Promise<string> {
  const found: string[] = []
  const outdated: string[] = []
  for (const user of [undefined, tree.home]) {
    // Hooks with titles and without count as current, for Windows and not.
    const variants = [false, true].flatMap((without_titles) =>
      [false, true].map((is_windows) => {
        const places = { ...tree, hooks_directory, without_titles, is_windows, user }
        return targetsOf(places, user ? AGENT_PARTS : USER_PARTS)
      }),
    )
    for (const [index, target] of (variants[0] ?? []).entries()) {
      const text = contentOf(target.path, CONTENT_MAX)?.toString()
      if (text === undefined || !isWritten(target, text)) continue
      const isCurrent = variants.some((each) => each[index]?.add(text) === text)
      const list = isCurrent ? found : outdated
      list.push(shownPath(target.path, { root: tree.root, home: tree.home.home }))
    }
  }
  if (outdated.length > 0)
    throw new CliError(`those in ${outdated.join(', ')} are of another release; run deconflict init`)
  if (found.length === 0) throw new CliError('none is installed; run deconflict init')
  return found.join(', ')
}

const read = (file: string) => readFile(file, 'utf8').catch(() => undefined)

/** Checks whether an agent runs the hooks that are installed for it: some silently skip those that they do not trust. */
async function checkTrust(
  agent: HookedAgent,
  { root, common_directory, home }: Places,
  user: Home | undefined,
): Promise<Finding[]> {
  const target = hookTarget(agent, { root, without_titles: false, is_windows: false, user })
  const hooks = contentOf(target.path, CONTENT_MAX)?.toString()
  if (hooks === undefined || !isWritten(target, hooks)) return []
  const directories = [root, dirname(common_directory)]
  const found = await agent.checkTrust?.({
    ...home,
    folder: await realpath(root),
    hook_files: user ? [target.path] : directories.map((directory) => join(directory, agent.hooks.path)),
    hooks,
    read,
  })
  return found ? [{ name: 'trust', ...found }] : []
}

function checkLastRun({ clock }: Runtime, { git_directory }: WorkingTree): string {
  const { last, failed, paused } = readRecord(git_directory)
  if (last === null) return 'none has run in this working tree; start a session of an agent'
  const now = clock()
  const runOf = ({ event, agent, at }: typeof last) =>
    `${event} of ${agent}, ${relativeTime(new Date(at).toISOString(), now)}`
  const run = runOf(last)
  if (last.outcome === 'ok' || last.outcome === 'quiet')
    return failed && now.getTime() - failed.at < DAY_MS
      ? `${run}; the last that failed: ${runOf(failed)}: ${failed.outcome}`
      : run
  if (last.outcome !== 'paused' || paused === null) throw new CliError(`${run}: ${last.outcome}`)
  const again = paused.until > now.getTime() ? relativeTime(new Date(paused.until).toISOString(), now) : 'now'
  throw new CliError(
    `${run}: sent no request after an earlier failure (${paused.why}); hooks try again ${again}`,
  )
}
