/** What `deconflict init` writes, and where: into the repository, or into the user's own configuration of the agents that are used here. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { programFiles } from '../../git/program-path.ts'
import type { Home } from '../agents/agent.ts'
import { CliError } from '../runtime.ts'
import { readUrl } from '../service-connection.ts'
import { HOOKED_AGENTS, type HookedAgent } from './agent-hooks.ts'
import { DEFAULT_PARTS, PARTS } from './targets.ts'

/** The parts that belong to a user: the hooks of agents, and the hook of git in the clone. */
export const USER_PARTS: readonly string[] = [...HOOKED_AGENTS.map(({ hooks }) => hooks.part), 'git']

export function homeOf(env: Home['env']): Home {
  return { env, home: env.HOME || homedir() }
}

/** Whether nobody else is meant: there is no remote, or neither a service nor a `.github`. */
export function isPersonal({ env }: Home, { root, remote }: { root: string; remote: unknown }): boolean {
  return remote === undefined || (readUrl(env, {}) === undefined && !existsSync(join(root, '.github')))
}

/** Whether the program of an agent, or a folder of its configuration, is there. */
function isUsed({ hooks }: HookedAgent, home: Home, root: string): boolean {
  const programs = hooks.programs.flatMap((name) =>
    programFiles(name, { env: home.env, platform: process.platform }),
  )
  const [folder] = hooks.user(home)
  return [folder, join(root, dirname(hooks.path)), ...programs].some((file) => existsSync(file))
}

export interface Scope {
  parts: readonly string[]
  /** The parts of agents that are not used here. In a repository where none is, all are written. */
  left_out: readonly string[]
}

export function scopeOf(
  { only, undo, is_user }: { only?: string[]; undo?: boolean; is_user: boolean },
  { home, root }: { home: Home; root: string },
): Scope {
  const all = is_user ? USER_PARTS : PARTS
  const unknown = only?.find((name) => !all.includes(name))
  if (unknown) throw new CliError(`--only takes ${all.join(', ')}, not ${unknown}`)
  if (only || undo) return { parts: all.filter((part) => only?.includes(part) ?? true), left_out: [] }
  const unused = HOOKED_AGENTS.filter((agent) => !isUsed(agent, home, root)).map(({ hooks }) => hooks.part)
  const isNone = !is_user && unused.length === HOOKED_AGENTS.length
  const left_out = isNone ? [] : unused
  const parts = is_user ? USER_PARTS : DEFAULT_PARTS
  return { parts: parts.filter((part) => !left_out.includes(part)), left_out }
}
