/** The files that `deconflict init` writes to, by part: what it adds to each, and how it removes that. Pure. */
import { join } from 'node:path'
import { CliError } from '../runtime.ts'
import { HOOK_PARTS, type HookFile, type HookFileOptions, hookFile } from './agent-hooks.ts'
import { AGENTS_SECTION, POINTER_SECTION, PUSH_SECTION, SETTINGS } from './contents.ts'
import { withHooks, withoutHooks } from './hook-settings.ts'
import { mcpTargets } from './mcp-targets.ts'
import { opencodePlugin, PLUGIN_NAME, PLUGIN_START } from './opencode-plugin.ts'
import { type Section, withoutSection, withSection } from './section.ts'
import type { Target } from './target.ts'

export const PARTS = [...HOOK_PARTS, 'opencode', 'git', 'agents-md', 'settings', 'mcp'] as const
export type Part = (typeof PARTS)[number]
/** `mcp` is only written on request (`--only mcp`), because hooks also work if the agent does not cooperate. */
export const DEFAULT_PARTS = PARTS.filter((part) => part !== 'mcp')

export interface Places extends HookFileOptions {
  /** The top directory of the working tree. */
  root: string
  hooks_directory: string
}

export function targetsOf(places: Places, parts: readonly Part[]): Target[] {
  return parts.flatMap((part) => TARGETS[part](places))
}

const TARGETS: Record<Part, (places: Places) => Target[]> = {
  claude: (places) => [hookTarget(places, hookFile('claude', places))],
  codex: (places) => [hookTarget(places, hookFile('codex', places))],
  copilot: (places) => [hookTarget(places, hookFile('copilot', places))],
  cursor: (places) => [hookTarget(places, hookFile('cursor', places))],
  gemini: (places) => [hookTarget(places, hookFile('gemini', places))],
  opencode: (places) => [pluginTarget(join(places.root, PLUGIN_NAME), opencodePlugin(places))],
  git: ({ hooks_directory }) => [pushTarget(join(hooks_directory, 'pre-push'))],
  'agents-md': ({ root }) => [
    sectionTarget(join(root, 'AGENTS.md'), AGENTS_SECTION, 'when to check, start and finish work'),
    ...['CLAUDE.md', 'GEMINI.md'].map((name) => pointerTarget(join(root, name))),
  ],
  settings: ({ root }) => [
    {
      path: join(root, '.github/deconflict.yml'),
      about: () => 'settings of the repository, all commented out',
      add: (text) => text ?? SETTINGS,
      remove: (text) => (text === SETTINGS ? undefined : text),
    },
  ],
  mcp: ({ root }) => mcpTargets(root),
}

function hookTarget({ root }: Places, { name, hooks, template }: HookFile): Target {
  return {
    path: join(root, name),
    about: () => `${Object.values(hooks).flat().length} hooks`,
    add: (text) => withHooks(text, { hooks, template }),
    remove: (text) => withoutHooks(text, { template }),
  }
}

/** A plugin is a whole file; one of an earlier release is replaced. */
function pluginTarget(path: string, plugin: string): Target {
  const isOurs = (text: string) => text.startsWith(PLUGIN_START)
  return {
    path,
    about: () => 'a plugin',
    add: (text = plugin) => {
      if (!isOurs(text)) throw new CliError('was skipped: it is not the plugin that init writes')
      return plugin
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  }
}

function sectionTarget(path: string, section: Section, about: string): Target {
  return {
    path,
    about: () => about,
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

function pushTarget(path: string): Target {
  return {
    path,
    is_executable: true,
    about: () => 'checks before a push, in this clone only',
    add: (text = NEW_HOOK) => {
      if (!/^#!.*\b(?:sh|bash|dash|zsh|ksh)\b/.test(text))
        throw new CliError(
          `was skipped: it is not a shell script; add this to it yourself: ${PUSH_SECTION.lines[1]}`,
        )
      return withSection(text, PUSH_SECTION)
    },
    remove: (text) => {
      const rest = withoutSection(text, PUSH_SECTION)
      return rest === NEW_HOOK && rest !== text ? undefined : rest
    },
  }
}
