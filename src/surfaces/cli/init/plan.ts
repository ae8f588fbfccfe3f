/** The file changes of `deconflict init` and `init --undo`. Reads files, writes none. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { CliError } from '../runtime.ts'
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

/** A change of one file; `undefined` means that the file does not exist. */
export interface FileChange {
  path: string
  /** The path relative to the working tree. */
  name: string
  before: string | undefined
  after: string | undefined
  is_executable: boolean
}

/** A file that is not changed, and why. */
interface Skip {
  name: string
  why: string
}

export interface Plan {
  changes: FileChange[]
  skips: Skip[]
}

interface Target {
  path: string
  is_executable?: boolean
  /** Throws `CliError` if the file must not be changed. */
  add(text: string | undefined): string
  remove(text: string): string | undefined
}

/** By path: the content before `init`, and a hash of what it wrote. Files that match the hash are restored exactly. */
export const InitRecord = z.record(z.string(), z.object({ before: z.string().nullable(), after: z.string() }))
export type InitRecord = z.output<typeof InitRecord>

interface PlanOptions {
  root: string
  hooks_directory: string
  parts: readonly Part[]
}

export async function planAdding(options: PlanOptions): Promise<Plan> {
  return plan(options, (target, text) => target.add(text))
}

export async function planRemoving(options: PlanOptions, record: InitRecord): Promise<Plan> {
  return plan(options, (target, text) => {
    if (text === undefined) return undefined
    const known = record[target.path]
    if (known && hashOf(text) === known.after) return known.before ?? undefined
    return target.remove(text)
  })
}

async function plan(
  { root, hooks_directory, parts }: PlanOptions,
  edit: (target: Target, text: string | undefined) => string | undefined,
): Promise<Plan> {
  const changes: FileChange[] = []
  const skips: Skip[] = []
  for (const part of parts) {
    const target = TARGETS[part](root, hooks_directory)
    const name = relative(root, target.path)
    const before = await readFile(target.path, 'utf8').catch(() => undefined)
    try {
      const after = edit(target, before)
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

function hookTarget(path: string, hooks: Hooks, template: Record<string, unknown>): Target {
  return {
    path,
    add: (text) => withHooks(text, { hooks, template }),
    remove: (text) => withoutHooks(text, { template }),
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

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
