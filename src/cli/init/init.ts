/** `deconflict init`: lists the file changes, asks, and writes them. `--undo` reverts exactly these. */
import { chmod, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Git } from '../../git/git.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from '../runtime.ts'
import { painter } from '../terminal.ts'
import { diffLines } from './diff.ts'
import { nextSteps } from './next-steps.ts'
import { type FileChange, hashOf, InitRecord, planAdding, planRemoving } from './plan.ts'
import { DEFAULT_PARTS, PARTS } from './targets.ts'

export interface InitOptions {
  yes?: boolean
  undo?: boolean
  /** Shows every line that changes. */
  diff?: boolean
  only?: string[]
  /** `titles` (default), or `paths`: hooks that show no text by other people. */
  hooks?: string
}

export async function init(runtime: Runtime, options: InitOptions): Promise<ExitCode> {
  const git = new Git(runtime.cwd, runtime.env)
  const [root, common_directory, hooks_directory, git_directory] = await Promise.all([
    git.root(),
    git.commonDirectory(),
    git.hooksDirectory(),
    git.gitDirectory(),
  ])
  if (!root || !common_directory || !hooks_directory || !git_directory)
    throw new CliError(git_directory ? 'not a git working tree; change to one' : await git.missing())
  const file = join(git_directory, 'deconflict', 'init.json')
  const record = await readRecord(file)
  const parts = parseParts(options.only, options.undo ? PARTS : DEFAULT_PARTS)
  const without_titles = parseHooks(options.hooks) === 'paths'
  const where = { root, common_directory, hooks_directory, parts, without_titles }
  const { changes, skips } = await (options.undo ? planRemoving(where, record) : planAdding(where))
  for (const { name, why } of skips) runtime.stderr.write(`deconflict: ${name} ${why}\n`)
  if (changes.length === 0) {
    const nothing = skips.length > 0 ? 'Nothing else to write.' : 'Everything is already installed.'
    runtime.stdout.write(`${options.undo ? 'Nothing to remove.' : nothing}\n`)
    return EXIT.clear
  }
  const paint = painter(runtime.stdout, runtime.env)
  if (options.diff)
    for (const change of changes) runtime.stdout.write(`${diffLines(change, paint).join('\n')}\n\n`)
  runtime.stdout.write(`${changeLines(changes).join('\n')}\n`)
  if (!options.yes && !(await confirm(runtime, changes.length))) {
    runtime.stdout.write('Nothing was written.\n')
    return EXIT.error
  }
  const next = recordAfter(record, changes, options.undo === true)
  // Whenever the process ends, the original content is in the file or in the record.
  if (!options.undo) await writeRecord(file, next)
  for (const change of changes) await apply(change, root)
  if (options.undo) await writeRecord(file, next)
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`
  const done = options.undo
    ? [`Removed what init wrote from ${count}.`]
    : [`Wrote ${count}. deconflict init --undo reverts this.`, '', ...nextSteps(parts, changes)]
  runtime.stdout.write(`${done.join('\n')}\n`)
  return EXIT.clear
}

/** One line per file: what happens to it, and what is added. */
function changeLines(changes: FileChange[]): string[] {
  const width = Math.max(...changes.map(({ name }) => name.length))
  return changes.map(({ name, before, after, about }) => {
    const sign = before === undefined ? '+' : after === undefined ? '-' : '~'
    return `${sign} ${name.padEnd(width)}  ${about}`.trimEnd()
  })
}

function parseHooks(given = 'titles'): 'titles' | 'paths' {
  if (given === 'titles' || given === 'paths') return given
  throw new CliError(`--hooks takes titles or paths, not ${given}`)
}

function parseParts(only: string[] | undefined, defaults: readonly string[]): readonly string[] {
  const unknown = only?.find((name) => !PARTS.includes(name))
  if (unknown) throw new CliError(`--only takes ${PARTS.join(', ')}, not ${unknown}`)
  return only ? PARTS.filter((part) => only.includes(part)) : defaults
}

async function confirm(runtime: Runtime, count: number): Promise<boolean> {
  if (!runtime.stdin.isTTY) throw new CliError('stdin is not a terminal; pass --yes to apply')
  const terminal = createInterface({ input: runtime.stdin, output: process.stdout })
  const answer = await terminal.question(
    `Write ${count === 1 ? 'this file' : `these ${count} files`}? [y/N] `,
  )
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function apply({ path, after, is_executable, before }: FileChange, root: string): Promise<void> {
  if (after === undefined) {
    await rm(path)
    await removeEmptyDirectories(dirname(path), root)
    return
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, after)
  if (is_executable && before === undefined) await chmod(path, 0o755)
}

/** Removes empty directories, from `directory` up to but not including `root`. */
async function removeEmptyDirectories(directory: string, root: string): Promise<void> {
  if (directory === root || !directory.startsWith(root)) return
  try {
    await rmdir(directory)
  } catch {
    return
  }
  await removeEmptyDirectories(dirname(directory), root)
}

async function readRecord(file: string): Promise<InitRecord> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  try {
    return InitRecord.parse(JSON.parse(text))
  } catch {
    return {}
  }
}

function recordAfter(record: InitRecord, changes: FileChange[], isUndo: boolean): InitRecord {
  const next = { ...record }
  for (const { path, before, after } of changes) {
    const known = record[path]
    const isOurs = known && before !== undefined && hashOf(before) === known.after
    const original = isOurs ? known.before : (before ?? null)
    const isOver = after === undefined || after === original || (isUndo && !isOurs)
    if (isOver) delete next[path]
    else next[path] = { before: original, after: hashOf(after) }
  }
  return next
}

async function writeRecord(file: string, record: InitRecord): Promise<void> {
  if (Object.keys(record).length === 0) {
    await rm(file, { force: true })
    return
  }
  await mkdir(dirname(file), { recursive: true })
  // The original content can contain secrets.
  await writeFile(file, JSON.stringify(record), { mode: 0o600 })
  await chmod(file, 0o600)
}
