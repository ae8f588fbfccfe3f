/** `deconflict number`: reserves the next free number of a directory, and renames the new file there to it. */
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { readChangedFiles } from '../git/working-tree-files.ts'
import { numberOf, renumbered } from '../vocabulary/file-number.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { activityIdFor, type CommonOptions, openContext } from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { wrap } from './terminal.ts'
import { fileInTree, viewOf } from './tree-paths.ts'
import type { Workspace } from './workspace.ts'

interface NumberOptions extends CommonOptions {
  activity?: string
  rename?: boolean
}

/** A file relative to the root of the working tree, before and after. */
interface Rename {
  from: string
  to: string
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
async function newFilesIn({ git, diff_base, remote }: Workspace, directory: string): Promise<string[]> {
  const changed = await readChangedFiles(git, { base: diff_base, remote, staged_only: false })
  if (changed === undefined)
    throw new CliError('git did not list the changed files; run git status, and try again')
  const numbered = changed.changes.flatMap(({ path, status }) => {
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
