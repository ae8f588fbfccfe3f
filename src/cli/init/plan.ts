/** The file changes of `deconflict init` and `init --undo`. Reads files, writes none. */
import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { z } from 'zod'
import { CliError } from '../runtime.ts'
import { shownPath, type Target } from './agent-hooks.ts'
import { PARTS, type Places, targetsOf } from './targets.ts'

/** A change of one file; `undefined` means that the file does not exist. */
export interface FileChange {
  path: string
  /** The path as it is shown. */
  name: string
  before: string | undefined
  after: string | undefined
  is_executable: boolean
  /** What is added to the file, or removed from it. */
  about: string
}

export interface Plan {
  changes: FileChange[]
  /** Files that are not changed, and why. */
  skips: { name: string; why: string }[]
}

/** What `init` did, by path: the content before, and a hash of what it wrote. Files that match the hash are restored exactly. */
export const InitRecord = z.record(z.string(), z.object({ before: z.string().nullable(), after: z.string() }))
export type InitRecord = z.output<typeof InitRecord>

interface PlanOptions extends Places {
  parts: readonly string[]
  /** The home directory. */
  home: string
}

export async function planAdding(options: PlanOptions): Promise<Plan> {
  return plan(options, ({ targets, before }, skip) => {
    let text = before
    const added: string[] = []
    for (const target of targets) {
      const next = orSkip(skip, () => target.add(text), text)
      if (next !== text) added.push(target.about)
      text = next
    }
    return { after: text, about: added.join(', ') }
  })
}

export async function planRemoving(options: PlanOptions, record: InitRecord): Promise<Plan> {
  const others = PARTS.filter((part) => !options.parts.includes(part))
  const kept = targetsOf(options, others)
  return plan(options, ({ path, targets, before }, skip) => {
    if (before === undefined) return { after: undefined, about: '' }
    const known = record[path]
    const isOfOthers = kept.some((target) => target.path === path && isWritten(target, before))
    if (known && hashOf(before) === known.after && !isOfOthers)
      return { after: known.before ?? undefined, about: '' }
    const remove = (text: string | undefined, target: Target) =>
      text === undefined ? undefined : orSkip(skip, () => target.remove(text), text)
    return { after: targets.reduceRight(remove, before), about: '' }
  })
}

interface File {
  path: string
  before: string | undefined
  /** Several parts can write to one file, and two names can be links to one. */
  targets: Target[]
}

type Skip = (why: string) => void

async function plan(
  options: PlanOptions,
  edit: (file: File, skip: Skip) => { after: string | undefined; about: string },
): Promise<Plan> {
  const files = new Map<string, File>()
  const result: Plan = { changes: [], skips: [] }
  for (const target of targetsOf(options, options.parts)) {
    const { path } = target
    const key = await realpath(path).catch(() => path)
    const file = files.get(key)
    if (file) file.targets.push(target)
    else if (!result.skips.some(({ name }) => name === shownPath(path, options))) {
      const why = (problem: string) => result.skips.push({ name: shownPath(path, options), why: problem })
      const before = await readText(path, why)
      if (before !== 'skipped') files.set(key, { path, before: before.text, targets: [target] })
    }
  }
  for (const file of files.values()) {
    const { path, before, targets } = file
    const name = shownPath(path, options)
    const { after, about } = edit(file, (why) => result.skips.push({ name, why }))
    const is_executable = targets.some((target) => target.is_executable === true)
    if (after !== before) result.changes.push({ path, name, before, after, is_executable, about })
  }
  return result
}

/** The text of a file, each byte of which it keeps; undefined if there is no file. */
async function readText(path: string, skip: Skip): Promise<{ text: string | undefined } | 'skipped'> {
  try {
    const bytes = await readFile(path)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // UTF-16 without a mark at its start can be valid UTF-8.
    if (!text.includes('\0')) return { text }
    skip('was skipped: it is not text in UTF-8')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: undefined }
    skip(
      error instanceof TypeError
        ? 'was skipped: it is not text in UTF-8'
        : `was skipped: it cannot be read (${code})`,
    )
  }
  return 'skipped'
}

/** The edited text. The same text if the file must not be changed, which `edit` reports as `CliError`. */
function orSkip(skip: Skip, edit: () => string | undefined, text: string | undefined): string | undefined {
  try {
    return edit()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    skip(error.message)
    return text
  }
}

/** Whether `text` contains what `init` adds to the target. */
export function isWritten(target: Target, text: string): boolean {
  return (
    orSkip(
      () => {},
      () => target.remove(text),
      text,
    ) !== text
  )
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
