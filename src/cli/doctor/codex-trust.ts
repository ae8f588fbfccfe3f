/**
 * Whether Codex trusts the hooks of a file. Its configuration stores a hash for each hook that a person trusted, by the
 * file and the hook's place in it. Codex 0.169 computes the hash as below; test/agents compares both. Pure.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

const HookFile = z.object({
  hooks: z.record(
    z.string(),
    z.array(z.looseObject({ hooks: z.array(z.looseObject({ command: z.string() })) })),
  ),
})

interface TrustQuery {
  /** The content of `hooks.json`, and the names under which Codex may know the file. */
  text: string
  files: string[]
  /** The content of Codex's `config.toml`. */
  config: string
}

/** How many of our hooks are in the file, and how many of these are trusted as they are now. */
export function codexTrust({ text, files, config }: TrustQuery): { ours: number; trusted: number } {
  const known = trustedHashes(config)
  const count = { ours: 0, trusted: 0 }
  for (const [event, groups] of Object.entries(HookFile.parse(JSON.parse(text)).hooks))
    for (const [index, group] of groups.entries())
      for (const [place, hook] of group.hooks.entries()) {
        if (!/\bdeconflict hook\b/.test(hook.command)) continue
        const name = snakeCase(event)
        const { commandWindows = hook.command, ...used } = hook
        // Codex hashes the command of the system that it runs on.
        const hashes = [hook.command, commandWindows].map((command) =>
          hashOf({ ...group, event_name: name, hooks: [{ async: false, ...used, command }] }),
        )
        const stored = files.map((file) => known.get(`${file}:${name}:${index}:${place}`))
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

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
