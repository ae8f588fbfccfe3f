/** `deconflict note` creates a notable, and `number` reserves the next free number of a directory, and renames the new file there to it. */

import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestOf } from '../client/client.ts'
import { numberOf, renumbered } from '../vocabulary/file-number.ts'
import { isNotableId } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/text.ts'
import {
  activityIdFor,
  type CommandContext,
  type CommonOptions,
  changedFilesOf,
  openContext,
} from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { relativeTime, wrap } from './terminal.ts'
import { fileInTree, viewOf } from './tree-paths.ts'
import { resolvePaths, type Workspace } from './workspace.ts'

export interface NoteOptions extends CommonOptions {
  summary?: string
  importance: string
  category: string
  decision?: string
  until?: string
  paths?: string[]
  area?: string[]
  blocking?: boolean
  supersedes?: string[]
  /** The id of a notable that does not apply any more. */
  end?: string
}

export async function endNotable(context: CommandContext, id: string): Promise<ExitCode> {
  const { client, at, show } = context
  if (!isNotableId(id))
    throw new CliError(`the id of a notable starts with ntb_, but this is ${sanitize(id)}`)
  const ended = await client.archiveNotable({ ...at, id })
  show(ended, () => [`Done: ${ended.id} is ${ended.status}`])
  return EXIT.clear
}

export async function note(
  runtime: Runtime,
  title: string | undefined,
  options: NoteOptions,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  if (options.end !== undefined) return endNotable(context, options.end)
  if (title === undefined) throw new CliError('a title is missing: deconflict note "TITLE", or note --end ID')
  const { paths = [], area = [], supersedes = [] } = options
  const input = {
    title,
    summary: options.summary ?? title,
    importance: options.importance,
    category: options.category,
    scope: { paths: await resolvePaths(context.workspace, paths), areas: area },
    supersedes,
    decision_url: options.decision ?? null,
    applies_until: options.until ?? null,
    blocking: options.blocking ?? false,
    // The service validates the values.
  } as RequestOf<'createNotable'>['input']
  const notable = await context.client.createNotable({ ...context.at, input })
  context.show(notable, () => [
    `Created “${sanitize(notable.title)}”, ${notable.importance}; expires ${relativeTime(notable.expires_at, context.display.now)} (${notable.id})`,
  ])
  return EXIT.clear
}

interface NumberOptions extends CommonOptions {
  activity?: string
  rename?: boolean
}

const TAKEN_SHOWN_MAX = 5

export async function number(runtime: Runtime, directory: string, options: NumberOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { client, at, workspace, display } = context
  // If it is one of the repository.
  const root = workspace.is_elsewhere ? undefined : workspace.tree?.root
  if (options.rename && root === undefined)
    throw new CliError('--rename needs a working tree of the repository')
  const inside = root === undefined ? directory : fileInTree(directory, viewOf(root, workspace.cwd))
  if (inside === undefined) throw new CliError(`${directory} lies outside of the repository`)
  // Read before a number is reserved, so that nothing is reserved for a file that does not exist.
  const files = options.rename ? await newFilesIn(workspace, inside) : []
  const id = await activityIdFor(context, options.activity)
  const reserved = await client.reserveNumber({ ...at, id, input: { directory: inside || '.' } })
  const renames = renamesTo(reserved.number, files)
  for (const each of renames) await rename(workspace, root as string, each)
  context.show({ ...reserved, ...(options.rename && { renamed: renames }) }, () => [
    `Reserved ${sanitize(reserved.number)} in ${sanitize(reserved.directory || 'the root')} (${id})`,
    ...wrap(takenText(reserved.taken), { width: display.width, indent: '  ' }),
    ...renames.map(({ from, to }) => `  renamed ${sanitize(from)} to ${sanitize(to)}`),
  ])
  return EXIT.clear
}

/** The files that the branch or the working tree adds directly to the directory and that have a number: all the same one. */
async function newFilesIn(workspace: Workspace, directory: string): Promise<string[]> {
  const { changes } = await changedFilesOf(workspace)
  const numbered = changes.flatMap(({ path, status }) => {
    const found = status === 'added' || status === 'renamed' ? numberOf(path) : null
    return found?.directory === directory ? [{ path, value: found.value }] : []
  })
  const shown = sanitize(directory || 'the root')
  if (numbered.length === 0) throw new CliError(`git lists no new file with a number in ${shown}`)
  if (new Set(numbered.map(({ value }) => value)).size > 1) {
    const names = numbered.map(({ path }) => sanitize(path)).join(', ')
    throw new CliError(`${shown} has new files with different numbers: ${names}; rename them one by one`)
  }
  return numbered.map(({ path }) => path)
}

/** Both relative to the root of the working tree. */
type Rename = { from: string; to: string }

function renamesTo(value: string, files: readonly string[]): Rename[] {
  return files.flatMap((from) => {
    const at = from.lastIndexOf('/') + 1
    const name = renumbered(from.slice(at), value)
    const to = `${from.slice(0, at)}${name}`
    return name === null || to === from ? [] : [{ from, to }]
  })
}

/** Renames in the index too, if git knows the file. Throws `CliError` if the other name exists. */
async function rename({ git }: Workspace, root: string, { from, to }: Rename): Promise<void> {
  if (existsSync(join(root, to))) throw new CliError(`${to} exists already; rename ${from} yourself`)
  const at = (path: string) => `:(top,literal)${path}`
  const isTracked = (await git.output(['ls-files', '--error-unmatch', '--', at(from)])) !== undefined
  if (!isTracked) return renameSync(join(root, from), join(root, to))
  const moved = await git.output(['mv', '--', join(root, from), join(root, to)])
  if (moved === undefined) throw new CliError(`git mv ${from} ${to} failed`)
}

function takenText(taken: readonly { number: string; by: string }[]): string {
  if (taken.length === 0) return 'No other number is taken there.'
  const named = taken
    .slice(0, TAKEN_SHOWN_MAX)
    .map(({ number: value, by }) => `${value} (${by === 'base' ? 'base branch' : by})`)
  const more = taken.length - named.length
  return sanitize(`Taken: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`)
}
