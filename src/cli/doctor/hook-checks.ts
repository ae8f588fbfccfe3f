/** The checks of `deconflict doctor` on the hooks of a working tree: installed, trusted, and how the last one ended. */
import { constants } from 'node:fs'
import { access, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { Git } from '../git.ts'
import { findTree, type WorkingTree } from '../hook/git-directory.ts'
import { readRecord } from '../hook/record.ts'
import { HOOK_PARTS } from '../init/agent-hooks.ts'
import type { Target } from '../init/target.ts'
import { type Part, targetsOf } from '../init/targets.ts'
import type { Runtime } from '../runtime.ts'
import { relativeTime } from '../terminal.ts'
import { codexTrust } from './codex-trust.ts'
import type { Finding } from './finding.ts'
import { isTrustedByGemini } from './gemini-trust.ts'

const PARTS: readonly Part[] = [...HOOK_PARTS, 'opencode', 'git']

/** The results of the checks; none outside of a working tree. */
export async function hookChecks(runtime: Runtime): Promise<Finding[]> {
  const tree = findTree(runtime.cwd)
  if (tree === undefined) return []
  const hooks_directory = (await new Git(runtime.cwd, runtime.env).hooksDirectory()) ?? ''
  const installed = await checkFiles(tree, hooks_directory)
  return [
    await checkCommand(runtime),
    installed,
    ...(await checkCodexTrust(runtime, tree)),
    ...(await checkGeminiTrust(runtime, tree)),
    checkLastRun(runtime, tree),
  ]
}

async function checkCommand({ env }: Runtime): Promise<Finding> {
  const names = process.platform === 'win32' ? ['deconflict.cmd', 'deconflict.exe'] : ['deconflict']
  const files = (env.PATH ?? '').split(delimiter).flatMap((each) => names.map((name) => join(each, name)))
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => file,
        () => null,
      ),
    ),
  )
  const file = found.find((each) => each !== null)
  return file
    ? { name: 'command', is_ok: true, message: file }
    : {
        name: 'command',
        is_ok: false,
        message: 'deconflict is not on the PATH, so hooks do nothing; install it, or add it to PATH',
      }
}

async function checkFiles({ root }: WorkingTree, hooks_directory: string): Promise<Finding> {
  const name = 'hooks'
  const found: string[] = []
  const outdated: string[] = []
  for (const part of PARTS) {
    // Hooks with titles and hooks without titles both count as current.
    const variants = [false, true].map((without_titles) =>
      targetsOf({ root, hooks_directory, without_titles }, [part]),
    )
    for (const [index, target] of (variants[0] ?? []).entries()) {
      const text = await readFile(target.path, 'utf8').catch(() => undefined)
      if (text === undefined || !contains(target, text)) continue
      const isCurrent = variants.some((each) => each[index]?.add(text) === text)
      const list = isCurrent ? found : outdated
      list.push(relative(root, target.path))
    }
  }
  if (outdated.length > 0)
    return {
      name,
      is_ok: false,
      message: `those in ${outdated.join(', ')} are of another release; run deconflict init`,
    }
  return found.length > 0
    ? { name, is_ok: true, message: found.join(', ') }
    : { name, is_ok: false, message: 'none is installed; run deconflict init' }
}

function contains(target: Target, text: string): boolean {
  try {
    return target.remove(text) !== text
  } catch {
    return false
  }
}

/** Checks whether Codex trusts the hooks, because it skips an untrusted hook silently. Empty if Codex is not used. */
async function checkCodexTrust({ env }: Runtime, tree: WorkingTree): Promise<Finding[]> {
  const directory = env.CODEX_HOME || join(env.HOME || homedir(), '.codex')
  const config = await readFile(join(directory, 'config.toml'), 'utf8').catch(() => undefined)
  // In a linked working tree, Codex reads the file of the main one.
  const files = [tree.root, dirname(tree.common_directory)].map((root) => join(root, '.codex/hooks.json'))
  const text = await readFile(files[0] as string, 'utf8').catch(() => undefined)
  if (config === undefined || text === undefined || !text.includes('deconflict hook')) return []
  const { ours, trusted } = codexTrust({ text, files, config })
  const isTrusted = ours === trusted
  const message = isTrusted
    ? 'Codex trusts all of its hooks'
    : `Codex trusts ${trusted} of its ${ours} hooks and skips the others; run /hooks in Codex`
  return [{ name: 'trust', is_ok: isTrusted, message }]
}

/** Checks whether Gemini CLI trusts the folder, because it runs no hook in other folders. Empty if Gemini CLI is not used. Folders that an IDE trusts are not known here. */
async function checkGeminiTrust({ env }: Runtime, { root }: WorkingTree): Promise<Finding[]> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => undefined)
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  const installed = await read(join(root, '.gemini/settings.json'))
  const settings = await read(join(home, 'settings.json'))
  const trusted = await read(env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, 'trustedFolders.json'))
  const isUsed = settings !== undefined || trusted !== undefined
  if (!isUsed || !installed?.includes('deconflict hook')) return []
  // If the variable is set, or the setting is off, Gemini CLI trusts every folder without asking.
  const isAsked =
    env.GEMINI_CLI_TRUST_WORKSPACE !== 'true' &&
    !/"folderTrust"[^}]*"enabled"\s*:\s*false/.test(settings ?? '')
  const isTrusted = !isAsked || isTrustedByGemini(trusted ?? '', await realpath(root))
  const message = isTrusted
    ? 'Gemini CLI trusts this folder'
    : 'Gemini CLI does not trust this folder and runs no hook in it; run /permissions in Gemini CLI'
  return [{ name: 'trust', is_ok: isTrusted, message }]
}

function checkLastRun({ clock }: Runtime, { git_directory }: WorkingTree): Finding {
  const name = 'last hook'
  const { last, paused } = readRecord(git_directory)
  if (last === null)
    return { name, is_ok: true, message: 'none has run in this working tree; start a session of an agent' }
  const now = clock()
  const run = `${last.event} of ${last.agent}, ${relativeTime(new Date(last.at).toISOString(), now)}`
  if (last.outcome === 'ok' || last.outcome === 'quiet') return { name, is_ok: true, message: run }
  if (last.outcome !== 'paused' || paused === null)
    return { name, is_ok: false, message: `${run}: ${last.outcome}` }
  const again = paused.until > now.getTime() ? relativeTime(new Date(paused.until).toISOString(), now) : 'now'
  return {
    name,
    is_ok: false,
    message: `${run}: sent no request after an earlier failure (${paused.why}); hooks try again ${again}`,
  }
}
