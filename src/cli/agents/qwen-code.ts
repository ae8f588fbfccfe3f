/**
 * Qwen Code 0.24: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks. Without a terminal (`qwen -p`), it runs no
 * SessionEnd. UserPromptSubmit also runs before it sends the result of a tool, with an empty prompt.
 */
import { join } from 'node:path'
import type { Agent, HookEvent, Machine, TrustFinding } from './agent.ts'
import { claudeAnswer, claudeEntries, STDIO_SERVER, TIMEOUT_S } from './claude-shaped.ts'
import { isTrustedFolder, trustFinding } from './folder-trust.ts'

const SETTINGS = '.qwen/settings.json'

export const QWEN_CODE: Agent = {
  name: 'qwen-code',
  hooks: {
    part: 'qwen',
    path: SETTINGS,
    programs: ['qwen'],
    user: ({ env, home }) => [env.QWEN_HOME || join(home, '.qwen'), 'settings.json'],
    entries: ({ any }) => {
      // Every version reads 1000 and more as milliseconds; only newer ones read less as seconds.
      const hook = (event: HookEvent, matcher?: string) =>
        claudeEntries({ command: any(event), timeout: TIMEOUT_S * 1000 }, matcher)
      return {
        SessionStart: hook('session-start'),
        UserPromptSubmit: hook('prompt'),
        PostToolUse: hook('after-read', 'read_file|edit|write_file|run_shell_command'),
        Stop: hook('stop'),
        SubagentStop: hook('subagent-end'),
        SessionEnd: hook('session-end'),
      }
    },
  },
  heard: ['session-start', 'prompt', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  checkTrust,
  mcp: { path: SETTINGS, key: 'mcpServers', entry: STDIO_SERVER },
  variable: 'QWEN_CODE',
}

/** Trust is off by default. Folders that an IDE trusts are not known here. */
async function checkTrust({ env, home, folder, read }: Machine): Promise<TrustFinding | undefined> {
  const own = env.QWEN_HOME || join(home, '.qwen')
  const settings = await read(join(own, 'settings.json'))
  if (settings === undefined || !/"folderTrust"[^}]*"enabled"\s*:\s*true/.test(settings)) return undefined
  const trusted = await read(env.QWEN_CODE_TRUSTED_FOLDERS_PATH || join(own, 'trustedFolders.json'))
  return trustFinding('Qwen Code', isTrustedFolder(trusted ?? '', folder))
}
