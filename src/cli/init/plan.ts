/** The file changes of `deconflict init` and `init --undo`. Reads files, writes none. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFile, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { CONTENT_MAX } from '../../git/small-files.ts'
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
  skips: { name: string; why: string }[]
}

/** What `init` did, by path: the content before, and a hash of what it wrote. Files that match the hash are restored exactly. */
export const InitRecord = z.record(z.string(), z.object({ before: z.string().nullable(), after: z.string() }))
export type InitRecord = z.output<typeof InitRecord>

interface PlanOptions extends Places {
  parts: readonly string[]
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
  const files = new Map<string, Target[]>()
  for (const target of targetsOf(options, options.parts)) {
    const key = await realFile(target.path)
    files.set(key, [...(files.get(key) ?? []), target])
  }
  const result: Plan = { changes: [], skips: [] }
  const root = await realpath(options.root)
  const isIn = (directory: string, path: string) =>
    !/^\.\.|^[A-Za-z]:|(?:^|[\\/])\.git(?:[\\/]|$)/i.test(relative(directory, path))
  for (const [real, targets] of files) {
    const { path } = targets[0] as Target
    const name = shownPath(path, options)
    const skip = (why: string) => result.skips.push({ name, why })
    // Anybody who can push can add a link, but none within `.git`.
    const leaves = isIn(options.root, path) && !isIn(root, real)
    const before = leaves
      ? new CliError('was skipped: it is a link that leaves the working tree')
      : await readText(path).catch((error: unknown) => {
          if (error instanceof CliError) return error
          throw error
        })
    if (before instanceof CliError) skip(before.message)
    else {
      const { after, about } = edit({ path, before, targets }, skip)
      const is_executable = targets.some((target) => target.is_executable === true)
      if (after !== before) result.changes.push({ path, name, before, after, is_executable, about })
    }
  }
  return result
}

/** The file without links on the way to it, whether or not it exists. */
async function realFile(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await realFile(dirname(path)), basename(path)))
}

/** The text of a file, each byte of which it keeps; undefined if there is no file. Throws why it must not be changed. */
async function readText(path: string): Promise<string | undefined> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > CONTENT_MAX) throw new CliError(`was skipped: it has more than ${CONTENT_MAX} bytes`)
  const bytes = await readFile(path).catch(async ({ code }: NodeJS.ErrnoException) => {
    const isLink = (await readlink(path).catch(() => null)) !== null
    if (!isLink && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined
    throw new CliError(`was skipped: it cannot be read (${code})`)
  })
  // UTF-16 without a mark at its start can be valid UTF-8.
  if (bytes && (!isUtf8(bytes) || bytes.includes(0)))
    throw new CliError('was skipped: it is not text in UTF-8')
  return bytes?.toString('utf8')
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
  const removed = () => target.remove(text)
  return orSkip(() => {}, removed, text) !== text
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
