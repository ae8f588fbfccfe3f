/** Which files `deconflict init` changes, from what to what; and back. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { CliError } from '../world.ts'
import {
  AGENTS_SECTION,
  CLAUDE_HOOKS,
  CODEX_HOOKS,
  CURSOR_HOOKS,
  PUSH_SECTION,
  SETTINGS,
} from './contents.ts'
import { type Hooks, withHooks, withoutHooks } from './hook-settings.ts'
import { type Section, withoutSection, withSection } from './section.ts'

export const PARTS = ['claude', 'codex', 'cursor', 'git', 'agents-md', 'settings'] as const
export type Part = (typeof PARTS)[number]

/** One file; `undefined` stands for none. */
export interface Change {
  path: string
  /** As people are shown it. */
  name: string
  before: string | undefined
  after: string | undefined
  is_executable: boolean
}

interface Skip {
  name: string
  why: string
}

export interface Plan {
  changes: Change[]
  skips: Skip[]
}

interface Target {
  path: string
  is_executable?: boolean
  /** Throws `CliError` where the file is not one to write to. */
  add(text: string | undefined): string
  remove(text: string): string | undefined
}

/** What the last `init` found and left, so that its undoing is exact. */
export const Written = z.record(z.string(), z.object({ before: z.string().nullable(), after: z.string() }))
export type Written = z.output<typeof Written>

interface Where {
  root: string
  hooks_directory: string
  parts: readonly Part[]
}

export async function planAdding(where: Where): Promise<Plan> {
  return plan(where, (target, text) => target.add(text))
}

export async function planRemoving(where: Where, written: Written): Promise<Plan> {
  return plan(where, (target, text) => {
    if (text === undefined) return undefined
    const known = written[target.path]
    if (known && hashOf(text) === known.after) return known.before ?? undefined
    return target.remove(text)
  })
}

async function plan(
  { root, hooks_directory, parts }: Where,
  turn: (target: Target, text: string | undefined) => string | undefined,
): Promise<Plan> {
  const changes: Change[] = []
  const skips: Skip[] = []
  for (const part of parts) {
    const target = TARGETS[part](root, hooks_directory)
    const name = relative(root, target.path)
    const before = await readFile(target.path, 'utf8').catch(() => undefined)
    try {
      const after = turn(target, before)
      if (after !== before)
        changes.push({ path: target.path, name, before, after, is_executable: target.is_executable === true })
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      skips.push({ name, why: error.message })
    }
  }
  return { changes, skips }
}

const TARGETS: Record<Part, (root: string, hooks_directory: string) => Target> = {
  claude: (root) => hookTarget(join(root, '.claude/settings.json'), CLAUDE_HOOKS, {}),
  codex: (root) => hookTarget(join(root, '.codex/hooks.json'), CODEX_HOOKS, {}),
  cursor: (root) => hookTarget(join(root, '.cursor/hooks.json'), CURSOR_HOOKS, { version: 1 }),
  git: (_, hooks_directory) => pushTarget(join(hooks_directory, 'pre-push')),
  'agents-md': (root) => sectionTarget(join(root, 'AGENTS.md'), AGENTS_SECTION),
  settings: (root) => ({
    path: join(root, '.github/deconflict.yml'),
    add: (text) => text ?? SETTINGS,
    remove: (text) => (text === SETTINGS ? undefined : text),
  }),
}

function hookTarget(path: string, hooks: Hooks, shell: Record<string, unknown>): Target {
  return {
    path,
    add: (text) => withHooks(text, { hooks, shell }),
    remove: (text) => withoutHooks(text, { shell }),
  }
}

function sectionTarget(path: string, section: Section): Target {
  return {
    path,
    add: (text = '') => withSection(text, section),
    remove: (text) => withoutSection(text, section) || undefined,
  }
}

const NEW_HOOK = '#!/bin/sh\n'

function pushTarget(path: string): Target {
  return {
    path,
    is_executable: true,
    add: (text = NEW_HOOK) => {
      if (!/^#!.*\b(?:sh|bash|dash|zsh|ksh)\b/.test(text))
        throw new CliError(`is no shell script; call there yourself: ${PUSH_SECTION.lines[1]}`)
      return withSection(text, PUSH_SECTION)
    },
    remove: (text) => {
      const bare = withoutSection(text, PUSH_SECTION)
      return bare === NEW_HOOK && bare !== text ? undefined : bare
    },
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
