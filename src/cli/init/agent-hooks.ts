/** What `deconflict init` adds to the hook file or plugin of a coding agent. Pure. */
import { isAbsolute, join, relative } from 'node:path'
import type { Agent, Home, HookFile, HookLines, Plugin } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { CliError } from '../runtime.ts'
import { hookLines, withHooks, withoutHooks } from './hook-settings.ts'

export interface HookOptions {
  /** The hooks show no text by other people: `init --hooks=paths`. */
  without_titles: boolean
  /** The user's own configuration instead of the repository. */
  user?: Home | undefined
  /** One line for all systems where a file names one only: on Windows, and for a repository that is used there. */
  is_windows: boolean
}

export const HOOKED_AGENTS = AGENTS.filter((agent): agent is HookedAgent => agent.hooks !== undefined)
export type HookedAgent = Agent & Required<Pick<Agent, 'hooks'>>

/** `root`: the top directory of the working tree. */
export function hookTarget(
  { name, hooks }: HookedAgent,
  { root, without_titles, user, is_windows }: HookOptions & { root: string },
): Target {
  const options = ['--agent', name, ...(without_titles ? ['--no-titles'] : [])]
  const path = user ? join(...hooks.user(user)) : join(root, hooks.path)
  if ('source' in hooks) return pluginTarget(path, hooks, options)
  const lines = hookLines(options)
  return fileTarget(path, hooks, is_windows ? lines : { ...lines, any: lines.posix })
}

function fileTarget(path: string, { template = {}, entries }: HookFile, lines: HookLines): Target {
  const hooks = entries(lines)
  return {
    path,
    about: `${Object.values(hooks).flat().length} hooks`,
    add: (text) => withHooks(text, { hooks, template }),
    remove: (text) => withoutHooks(text, { template }),
  }
}

/** A plugin is a whole file; one of an earlier release is replaced. */
function pluginTarget(path: string, { start, source }: Plugin, options: string[]): Target {
  const plugin = source(options)
  const isOurs = (text: string) => text.startsWith(start)
  return {
    path,
    about: 'a plugin',
    add: (text = plugin) => {
      if (!isOurs(text)) throw new CliError('was skipped: it is not the plugin that init writes')
      return plugin
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  }
}

/** One file that a part of `init` writes to. */
export interface Target {
  path: string
  is_executable?: boolean
  /** What Deconflict adds to the file, in a few words. */
  about: string
  /** The new content of the file, from its content. Undefined: no file. Throws `CliError` if the file must not be changed. */
  add(text: string | undefined): string | undefined
  remove(text: string): string | undefined
}

/** A path as it is shown: relative to the working tree, else to the home directory. */
export function shownPath(path: string, { root, home }: { root: string; home: string }): string {
  const [inTree, inHome] = [relative(root, path), relative(home, path)]
  const isOutside = (each: string) => each.startsWith('..') || isAbsolute(each)
  return isOutside(inTree) && !isOutside(inHome) ? `~/${inHome}` : inTree
}
