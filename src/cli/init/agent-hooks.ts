/** The hook files of coding agents that `deconflict init` writes, each in the form that its agent documents. Pure. */
import type { Agent, HookEvent } from '../hook/payload.ts'
import type { Hooks } from './hook-settings.ts'

export interface HookFileOptions {
  /** The hooks show no text by other people: `init --hooks=paths`. */
  without_titles: boolean
}

/** The content of one hook file. `template`: what a new file starts from. */
export interface HookFile {
  name: string
  hooks: Hooks
  template: Record<string, unknown>
}

/** The agent kills a hook after this time; the hook itself ends after one second. */
const TIMEOUT_S = 10
/** Codex shows a warning if the hook of the session end has a longer timeout. */
const CODEX_END_S = 3

type Call = (event: HookEvent) => string

/** The shell commands of the hooks. They do nothing on machines without `deconflict`. Agents ask for trust again after a change, so keep them the same. */
function callsOf(
  agent: Agent,
  { without_titles }: HookFileOptions,
): { posix: Call; cmd: Call; powershell: Call } {
  const command = (event: HookEvent) =>
    `deconflict hook ${event} --agent ${agent}${without_titles ? ' --no-titles' : ''}`
  return {
    posix: (event) => `command -v deconflict >/dev/null 2>&1 && ${command(event)} || true`,
    cmd: (event) => `where deconflict >nul 2>nul && ${command(event)} || exit /b 0`,
    powershell: (event) =>
      `if (Get-Command deconflict -ErrorAction SilentlyContinue) { ${command(event)} }; exit 0`,
  }
}

/** An entry in the format of Claude Code, which Codex and Gemini CLI use too. */
function nested(hook: object, matcher?: string) {
  return [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', ...hook }] }]
}

const HOOK_FILES = {
  claude: (options: HookFileOptions): HookFile => {
    const { posix } = callsOf('claude-code', options)
    const hook = (event: HookEvent, matcher?: string) =>
      nested({ command: posix(event), timeout: TIMEOUT_S }, matcher)
    return {
      name: '.claude/settings.json',
      template: {},
      hooks: {
        SessionStart: hook('session-start'),
        UserPromptSubmit: hook('prompt'),
        PreToolUse: hook('before-edit', 'Edit|MultiEdit|Write|NotebookEdit'),
        PostToolUse: hook('after-read', 'Read|NotebookRead'),
        Stop: hook('stop'),
        SubagentStop: hook('subagent-end'),
        WorktreeRemove: hook('subagent-end'),
        SessionEnd: hook('session-end'),
      },
    }
  },
  codex: (options: HookFileOptions): HookFile => {
    const { posix, cmd } = callsOf('codex', options)
    const hook = (event: HookEvent, matcher?: string, timeout = TIMEOUT_S) =>
      nested({ command: posix(event), commandWindows: cmd(event), timeout }, matcher)
    return {
      name: '.codex/hooks.json',
      template: {},
      hooks: {
        SessionStart: hook('session-start', 'startup|resume|clear|compact'),
        UserPromptSubmit: hook('prompt'),
        PreToolUse: hook('before-edit', 'apply_patch|Edit|Write'),
        // Codex reads files through its shell.
        PostToolUse: hook('after-read', 'Bash|exec_command|local_shell|shell|unified_exec'),
        Stop: hook('stop'),
        SessionEnd: hook('session-end', undefined, CODEX_END_S),
      },
    }
  },
  copilot: (options: HookFileOptions): HookFile => {
    const { posix, powershell } = callsOf('copilot', options)
    // No preToolUse: on Windows a failure of it denies the tool call.
    const hook = (event: HookEvent) => [
      { type: 'command', bash: posix(event), powershell: powershell(event), timeoutSec: TIMEOUT_S },
    ]
    return {
      name: '.github/hooks/deconflict.json',
      template: { version: 1 },
      hooks: {
        sessionStart: hook('session-start'),
        userPromptSubmitted: hook('prompt'),
        postToolUse: hook('after-read'),
        sessionEnd: hook('session-end'),
      },
    }
  },
  cursor: (options: HookFileOptions): HookFile => {
    const { posix } = callsOf('cursor', options)
    const hook = (event: HookEvent) => [{ command: posix(event), timeout: TIMEOUT_S }]
    return {
      name: '.cursor/hooks.json',
      template: { version: 1 },
      hooks: {
        sessionStart: hook('session-start'),
        beforeSubmitPrompt: hook('prompt'),
        postToolUse: hook('after-read'),
        afterFileEdit: hook('after-edit'),
        stop: hook('stop'),
        sessionEnd: hook('session-end'),
      },
    }
  },
  gemini: (options: HookFileOptions): HookFile => {
    const { posix } = callsOf('gemini', options)
    const hook = (event: HookEvent, matcher?: string) =>
      nested({ command: posix(event), timeout: TIMEOUT_S * 1000 }, matcher)
    return {
      name: '.gemini/settings.json',
      template: {},
      hooks: {
        SessionStart: hook('session-start'),
        BeforeAgent: hook('prompt'),
        AfterTool: hook('after-read', 'read_file|read_many_files|replace|write_file|run_shell_command'),
        SessionEnd: hook('session-end'),
      },
    }
  },
}

export const HOOK_PARTS = ['claude', 'codex', 'copilot', 'cursor', 'gemini'] as const
export type HookPart = (typeof HOOK_PARTS)[number]

export function hookFile(part: HookPart, options: HookFileOptions): HookFile {
  return HOOK_FILES[part](options)
}
