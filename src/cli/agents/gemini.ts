/** Gemini CLI 0.61: https://geminicli.com/docs/hooks/reference. It runs no hook in a folder that a person does not trust. */
import { join } from 'node:path'
import type { Agent, HookEvent, Machine, TrustFinding } from './agent.ts'
import { claudeAnswer, claudeEntries, STDIO_SERVER, TIMEOUT_S } from './claude-shaped.ts'
import { isTrustedFolder, trustFinding } from './folder-trust.ts'

const SETTINGS = '.gemini/settings.json'

export const GEMINI: Agent = {
  name: 'gemini',
  hooks: {
    part: 'gemini',
    path: SETTINGS,
    programs: ['gemini'],
    user: ({ env, home }) => [join(env.GEMINI_CLI_HOME || home, '.gemini'), 'settings.json'],
    entries: ({ any }) => {
      const hook = (event: HookEvent, matcher?: string) =>
        claudeEntries({ command: any(event), timeout: TIMEOUT_S * 1000 }, matcher)
      return {
        SessionStart: hook('session-start'),
        BeforeAgent: hook('prompt'),
        AfterTool: hook('after-read', 'read_file|read_many_files|replace|write_file|run_shell_command'),
        SessionEnd: hook('session-end'),
      }
    },
  },
  heard: ['session-start', 'prompt', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  trust_step:
    'Gemini CLI runs hooks only in a trusted folder: confirm it when Gemini asks, or set GEMINI_CLI_TRUST_WORKSPACE=true where no person can.',
  checkTrust,
  mcp: { path: SETTINGS, key: 'mcpServers', entry: STDIO_SERVER },
  instructions: 'GEMINI.md',
}

/** Folders that an IDE trusts are not known here. */
async function checkTrust({ env, home, folder, read }: Machine): Promise<TrustFinding | undefined> {
  const own = join(env.GEMINI_CLI_HOME || home, '.gemini')
  const settings = await read(join(own, 'settings.json'))
  const trusted = await read(env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(own, 'trustedFolders.json'))
  if (settings === undefined && trusted === undefined) return undefined
  // If the variable is set, or the setting is off, Gemini CLI trusts every folder without asking.
  const isAsked =
    env.GEMINI_CLI_TRUST_WORKSPACE !== 'true' &&
    !/"folderTrust"[^}]*"enabled"\s*:\s*false/.test(settings ?? '')
  return trustFinding('Gemini CLI', !isAsked || isTrustedFolder(trusted ?? '', folder))
}
