/** `deconflict init`: lists the file changes, asks, and writes them. `--undo` reverts exactly these. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Git } from '../../git/git.ts'
import { findTree } from '../../git/git-directory.ts'
import { replaceFile } from '../../git/small-files.ts'
import { parsedJson } from '../../vocabulary/text.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from '../runtime.ts'
import { loginFile } from '../service-connection.ts'
import { type Paint, painter } from '../terminal.ts'
import { HOOKED_AGENTS } from './agent-hooks.ts'
import { type FileChange, hashOf, InitRecord, planAdding, planRemoving } from './plan.ts'
import { homeOf, isPersonal, type Scope, scopeOf } from './targets.ts'

export interface InitOptions {
  yes?: boolean
  undo?: boolean
  /** Shows every line that changes. */
  diff?: boolean
  only?: string[]
  /** Into the user's own configuration; default: see `isPersonal`. */
  user?: boolean
  /** Hooks that do nothing in the shells of Windows, where a file names one line for all systems. */
  windows?: boolean
  /** `titles` (default), or `paths`: hooks that show no text by other people. */
  hooks?: 'titles' | 'paths'
}

export async function init(runtime: Runtime, options: InitOptions): Promise<ExitCode> {
  const { root, git_directory, ...directories } = await directoriesOf(runtime)
  const home = homeOf(runtime.env)
  const own = join(git_directory, 'deconflict', 'init.json')
  const users = join(dirname(loginFile(runtime.env)), 'init.json')
  // What was written for this clone alone goes first. What was written before there was a service is still found.
  const [isHere, isLeft] = [own, users].map((file) => options.undo === true && existsSync(file))
  const isOfPerson = isLeft || isPersonal(home, { root, ...directories })
  const is_user = options.user ?? (!options.only && !isHere && isOfPerson)
  const scope = scopeOf({ ...options, is_user }, { home, root })
  const { parts, left_out } = await withAsked(runtime, options, scope)
  const file = is_user ? users : own
  const record = await readRecord(file)
  const without_titles = options.hooks === 'paths'
  const is_windows = options.windows ?? process.platform === 'win32'
  const of = { parts, without_titles, user: is_user ? home : undefined, is_windows }
  const where = { ...directories, root, home: home.home, ...of }
  const { changes, skips } = await (options.undo ? planRemoving(where, record) : planAdding(where))
  for (const { name, why } of skips) runtime.stderr.write(`deconflict: ${name} ${why}\n`)
  if (changes.length === 0) {
    if (isHere && !is_user && !options.only && skips.length === 0) {
      // The files that it names were removed or changed by hand.
      await writeRecord(own, {})
      return init(runtime, options)
    }
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
  for (const change of changes) await apply(change, [root, home.home])
  if (options.undo) await writeRecord(file, next)
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`
  const steps = options.undo ? [] : ['', ...nextSteps({ parts, left_out, is_user }, changes)]
  const done = options.undo
    ? `Removed what init wrote from ${count}.`
    : `Wrote ${count}. deconflict init --undo reverts this.`
  runtime.stdout.write(`${[done, ...steps].join('\n')}\n`)
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

async function directoriesOf({ cwd, env }: Runtime) {
  const git = new Git(cwd, env)
  const tree = findTree(cwd)
  const [hooks_directory, branch] = await Promise.all([git.hooksDirectory(), git.branch()])
  if (!tree || !hooks_directory) throw new CliError(await git.missing())
  const { remote } = await git.configuration(branch)
  return { ...tree, hooks_directory, remote }
}

/** Where a person can answer, asks for the agents that are left out. */
async function withAsked(runtime: Runtime, { yes }: InitOptions, scope: Scope): Promise<Scope> {
  const { parts, left_out } = scope
  if (yes || left_out.length === 0 || !runtime.stdin.isTTY) return scope
  const isWanted = await ask(runtime, `Not found here: ${left_out.join(', ')}. Write for them too?`)
  return isWanted ? { parts: [...left_out, ...parts], left_out: [] } : scope
}

async function confirm(runtime: Runtime, count: number): Promise<boolean> {
  if (!runtime.stdin.isTTY) throw new CliError('stdin is not a terminal; pass --yes to apply')
  return ask(runtime, `Write ${count === 1 ? 'this file' : `these ${count} files`}?`)
}

async function ask({ stdin }: Runtime, question: string): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: process.stdout })
  const closed = once(terminal, 'close').then(() => undefined)
  // Rejects on Control-C and Control-D.
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed]).catch(() => undefined)
  terminal.close()
  if (answer === undefined) throw new CliError('no answer, so nothing was written')
  return /^y(es)?$/i.test(answer.trim())
}

async function apply({ path, after, is_executable, before }: FileChange, roots: string[]): Promise<void> {
  if (after === undefined) {
    await rm(path)
    return removeEmptyDirectories(dirname(path), roots)
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, after)
  if (is_executable && before === undefined) await chmod(path, 0o755)
}

/** Removes empty directories, from `directory` up to but not including one of `roots`. */
async function removeEmptyDirectories(directory: string, roots: readonly string[]): Promise<void> {
  if (roots.includes(directory) || !roots.some((root) => directory.startsWith(`${root}${sep}`))) return
  await rmdir(directory).then(
    () => removeEmptyDirectories(dirname(directory), roots),
    () => {},
  )
}

async function readRecord(file: string): Promise<InitRecord> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  return InitRecord.safeParse(parsedJson(text)).data ?? {}
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
    return removeEmptyDirectories(dirname(file), [dirname(dirname(file))])
  }
  // The original content can contain secrets, and must outlast a full disk.
  replaceFile(file, JSON.stringify(record))
}

const CONTEXT = 2

/** A file change for people. All changes to a file are in one place, so one hunk is enough. */
function diffLines({ name, before, after }: FileChange, paint: Paint): string[] {
  const old = linesOf(before)
  const next = linesOf(after)
  const max = Math.min(old.length, next.length)
  let head = 0
  while (head < max && old[head] === next[head]) head += 1
  let tail = 0
  while (tail < max - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1
  const from = Math.max(0, head - CONTEXT)
  const note = before === undefined ? ' (new)' : after === undefined ? ' (deleted)' : ''
  return [
    paint('bold', `${name}${note}`),
    ...old.slice(from, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => paint('red', `- ${line}`)),
    ...next.slice(head, next.length - tail).map((line) => paint('green', `+ ${line}`)),
    ...next.slice(next.length - tail, next.length - tail + CONTEXT).map((line) => `  ${line}`),
  ]
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, '').split('\n')
}

interface Installed extends Scope {
  is_user: boolean
}

/** What people have to do now: trust the hooks, and set up the command. `changes`: the files that were written now. */
function nextSteps({ parts, left_out, is_user }: Installed, changes: FileChange[]): string[] {
  const trust = HOOKED_AGENTS.flatMap(({ hooks, trust_step }) =>
    trust_step !== undefined && parts.includes(hooks.part) ? [trust_step] : [],
  )
  const names = changes.map(({ name }) => name).filter((name) => !/^(?:\.git|\.bare|~|\.\.)\//.test(name))
  return [
    ...(left_out.length > 0
      ? [
          `Left out, not found here: ${left_out.join(', ')}. Add one with deconflict init --only NAME${is_user ? ' --user' : ''}.`,
          '',
        ]
      : []),
    ...(trust.length > 0 ? ['Trust:', ...trust.map((each) => `  ${each}`), ''] : []),
    'Next:',
    ...(names.length > 0 ? [`  Commit ${names.join(', ')}.`] : []),
    ...(is_user ? FOR_ONE.filter(() => parts.some((part) => part !== 'git')) : FOR_ALL),
    ...(parts.includes('git')
      ? ['  The pre-push hook is of this clone: run deconflict init --only git in each other one.']
      : []),
    '  deconflict doctor checks all of this.',
  ]
}

const FOR_ONE = [
  '  Sessions that you start from now on, in any clone and working tree, show each other their work.',
]
const FOR_ALL = [
  '  Everyone who works here installs the command; without it, the hooks do nothing. With a service, everyone also runs',
  '  deconflict login URL (or sets DECONFLICT_URL) and gh auth login (or sets GITHUB_TOKEN).',
]
