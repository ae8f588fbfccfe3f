/** Codex 0.169: https://developers.openai.com/codex/hooks. It runs no hook until a person trusts it, and again after each change. */
import { join } from 'node:path'
import type { Agent, HookEvent, Json, Machine, TrustFinding } from './agent.ts'
import { claudeAnswer, claudeEntries, TIMEOUT_S } from './claude-shaped.ts'

/** Codex shows a warning if the hook of the session end has a longer timeout. */
const END_TIMEOUT_S = 3

export const CODEX: Agent = {
  name: 'codex',
  hooks: {
    part: 'codex',
    path: '.codex/hooks.json',
    programs: ['codex'],
    user: ({ env, home }) => [env.CODEX_HOME || join(home, '.codex'), 'hooks.json'],
    entries: ({ posix, cmd }) => {
      const hook = (event: HookEvent, matcher?: string, timeout = TIMEOUT_S) =>
        claudeEntries({ command: posix(event), commandWindows: cmd(event), timeout }, matcher)
      return {
        SessionStart: hook('session-start', 'startup|resume|clear|compact'),
        UserPromptSubmit: hook('prompt'),
        PreToolUse: hook('before-edit', 'apply_patch|Edit|Write'),
        // Codex reads files through its shell.
        PostToolUse: hook('after-read', 'Bash|exec_command|local_shell|shell|unified_exec'),
        Stop: hook('stop'),
        SessionEnd: hook('session-end', undefined, END_TIMEOUT_S),
      }
    },
  },
  heard: ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  trust_step:
    'Codex runs no hook until you trust it: run /hooks in Codex, also after each change of .codex/hooks.json.',
  checkTrust,
  mcp: {
    path: '.codex/config.toml',
    table: [
      '[mcp_servers.deconflict]',
      'command = "deconflict"',
      'args = ["mcp"]',
      // Codex passes only the named variables on.
      'env_vars = ["DECONFLICT_URL", "DECONFLICT_INSECURE", "GITHUB_TOKEN", "GH_TOKEN"]',
    ],
  },
}

/** Codex skips an untrusted hook silently. In a linked working tree, it reads the hook file of the main one. */
async function checkTrust(machine: Machine): Promise<TrustFinding | undefined> {
  const { env, home, read } = machine
  const config = await read(join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'))
  if (config === undefined) return undefined
  const { ours, trusted } = codexTrust({ ...machine, config })
  const message =
    ours === trusted
      ? 'Codex trusts all of its hooks'
      : `Codex trusts ${trusted} of its ${ours} hooks and skips the others; run /hooks in Codex`
  return { is_ok: ours === trusted, message }
}

interface Group extends Json {
  hooks?: (Json & { command: string })[]
}

/**
 * How many of our hooks are in the file, and how many of these are trusted as they are now. `config`: the content of Codex's
 * `config.toml`, which stores a hash for each hook that a person trusted, by the file and the hook's place in it. Codex 0.169
 * computes the hash as below; test/agents compares both.
 */
export function codexTrust({
  hooks,
  hook_files,
  config,
}: Pick<Machine, 'hooks' | 'hook_files'> & { config: string }): { ours: number; trusted: number } {
  const known = trustedHashes(config)
  const count = { ours: 0, trusted: 0 }
  for (const [event, groups] of Object.entries<Group[]>(JSON.parse(hooks).hooks))
    for (const [index, group] of groups.entries())
      for (const [place, hook] of (group.hooks ?? []).entries()) {
        if (!/\bdeconflict hook\b/.test(hook.command)) continue
        const name = event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
        const { commandWindows = hook.command, ...used } = hook
        // Codex hashes the command of the system that it runs on.
        const hashes = [hook.command, commandWindows].map((command) =>
          hashOf({ ...group, event_name: name, hooks: [{ async: false, ...used, command }] }),
        )
        const stored = hook_files.map((file) => known.get(`${file}:${name}:${index}:${place}`))
        count.ours += 1
        if (stored.some((hash) => hash !== undefined && hashes.includes(hash))) count.trusted += 1
      }
  return count
}

/** The trusted hashes, by key. Codex writes one table for each hook: `[hooks.state."FILE:session_start:0:0"]`. */
function trustedHashes(config: string): Map<string, string> {
  const tables = config.matchAll(/^\[hooks\.state\.(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\]([^[]*)/gm)
  return new Map(
    [...tables].map(([, escaped = '', literal, body = '']) => [
      literal ?? escaped.replace(/\\(.)/g, '$1'),
      /^trusted_hash\s*=\s*"([^"]*)"/m.exec(body)?.[1] ?? '',
    ]),
  )
}

/** The SHA-256 of the JSON with sorted keys. */
function hashOf(identity: object): string {
  // Hooks, which load this file too, do not need the module.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(identity)))
    .digest('hex')}`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]))
}
