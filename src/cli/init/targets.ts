/** The parts of `deconflict init`: which are written where, into the repository or the user's own configuration, and what is added to each file. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { programFiles } from '../../git/program-output.ts'
import type { Home } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { CliError } from '../runtime.ts'
import { readUrl } from '../service-connection.ts'
import { HOOKED_AGENTS, type HookedAgent, type HookOptions, hookTarget, type Target } from './agent-hooks.ts'
import { mcpTargets } from './mcp-targets.ts'
import {
  AGENTS_SECTION,
  POINTER_SECTION,
  PUSH_SECTION,
  SETTINGS,
  type Section,
  withoutSection,
  withoutTitles,
  withSection,
} from './sections.ts'

export interface Places extends HookOptions {
  /** The top directory of the working tree. */
  root: string
  /** The git directory of the main working tree. */
  common_directory: string
  hooks_directory: string
}

const TARGETS: Record<string, (places: Places) => Target[]> = {
  ...Object.fromEntries(
    HOOKED_AGENTS.map((agent) => [agent.hooks.part, (places: Places) => [hookTarget(agent, places)]]),
  ),
  git: (places) => [pushTarget(places)],
  'agents-md': ({ root, without_titles }) => [
    sectionTarget(
      join(root, 'AGENTS.md'),
      without_titles ? withoutTitles(AGENTS_SECTION) : AGENTS_SECTION,
      'when to check, start and finish work',
    ),
    ...AGENTS.flatMap(({ instructions }) => (instructions ? [pointerTarget(join(root, instructions))] : [])),
  ],
  settings: ({ root }) => [
    {
      path: join(root, '.github/deconflict.yml'),
      about: 'settings of the repository, all commented out',
      add: (text) => text ?? SETTINGS,
      remove: (text) => (text === SETTINGS ? undefined : text),
    },
  ],
  mcp: ({ root }) => mcpTargets(root),
}

/** What `init` can write: the hooks of each agent, and more. */
export const PARTS: readonly string[] = Object.keys(TARGETS)
/** `mcp` is only written on request (`--only mcp`), because hooks also work if the agent does not cooperate. */
export const DEFAULT_PARTS = PARTS.filter((part) => part !== 'mcp')

export function targetsOf(places: Places, parts: readonly string[]): Target[] {
  return parts.flatMap((part) => TARGETS[part]?.(places) ?? [])
}

function sectionTarget(path: string, section: Section, about: string): Target {
  return {
    path,
    about,
    add: (text = '') => withSection(text, section),
    remove: (text) => withoutSection(text, section) || undefined,
  }
}

/** Adds a pointer to AGENTS.md, but only to a file that exists, is not a link to AGENTS.md, and does not point to it already. */
function pointerTarget(path: string): Target {
  const target = sectionTarget(path, POINTER_SECTION, 'points to AGENTS.md')
  return {
    ...target,
    add: (text) => {
      if (text === undefined || text.includes(AGENTS_SECTION.begin)) return text
      const others = withoutSection(text, POINTER_SECTION)
      return /(?:^|\s)@(?:\.\/)?AGENTS\.md(?:\s|$)/.test(others) ? text : target.add(text)
    },
  }
}

const NEW_HOOK = '#!/bin/sh\n'

function pushTarget(places: Places): Target {
  const path = join(places.hooks_directory, 'pre-push')
  const section = places.without_titles ? withoutTitles(PUSH_SECTION) : PUSH_SECTION
  return {
    path,
    is_executable: true,
    about: 'checks before a push, in this clone only',
    add: (text) => {
      const foreign = foreignHook(places, text ?? '')
      if (foreign === null) return withSection(text ?? NEW_HOOK, section)
      // What is there already stays.
      if (text !== undefined && withoutSection(text, section) !== text) return text
      throw new CliError(`was skipped: ${foreign}: ${section.lines[1]}`)
    },
    remove: (text) => {
      const rest = withoutSection(text, section)
      return rest === NEW_HOOK && rest !== text ? undefined : rest
    },
  }
}

/** Why the hook is not ours to write, and where to add the line instead; null if it is. */
function foreignHook({ root, common_directory, hooks_directory }: Places, text: string): string | null {
  const isInside = (directory: string) =>
    !/^\.\.(?:[\\/]|$)|^[A-Za-z]:/.test(relative(directory, hooks_directory))
  if (basename(hooks_directory) === '_' && basename(dirname(hooks_directory)) === '.husky')
    return 'husky generates this directory; add this line to .husky/pre-push'
  if (![root, common_directory].some(isInside))
    return `core.hooksPath is ${hooks_directory}, whose hooks run in other repositories too; add this line to one of this repository`
  if (/\blefthook\b/.test(text))
    return 'lefthook generates it; add this line to lefthook.yml, as a command of pre-push'
  if (text.includes('pre-commit.com'))
    return 'pre-commit generates it; add this line to .pre-commit-config.yaml, as a local hook of the stage pre-push'
  if (text !== '' && !/^#!.*\b(?:sh|bash|dash|zsh|ksh)\b/.test(text))
    return 'it is not a shell script; add this to it yourself'
  return null
}

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
