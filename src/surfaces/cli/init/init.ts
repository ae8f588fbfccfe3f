/** `deconflict init`: shows what it would write, asks, writes; and takes exactly that back (issue: every door). */
import { chmod, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Git } from '../git.ts'
import { painter } from '../terminal.ts'
import { CliError, EXIT, type ExitCode, type World } from '../world.ts'
import { diffLines } from './diff.ts'
import { type Change, hashOf, PARTS, type Part, planAdding, planRemoving, Written } from './plan.ts'

export interface InitOptions {
  yes?: boolean
  undo?: boolean
  only?: string[]
}

export async function init(world: World, options: InitOptions): Promise<ExitCode> {
  const git = new Git(world.cwd, world.env)
  const [root, hooks_directory, git_directory] = await Promise.all([
    git.root(),
    git.hooksDirectory(),
    git.gitDirectory(),
  ])
  if (root === undefined || hooks_directory === undefined || git_directory === undefined)
    throw new CliError('this is no git working tree; go to one')
  const record = join(git_directory, 'deconflict', 'init.json')
  const written = await readRecord(record)
  const where = { root, hooks_directory, parts: partsIn(options.only) }
  const { changes, skips } = await (options.undo ? planRemoving(where, written) : planAdding(where))
  for (const { name, why } of skips) world.stderr.write(`deconflict: ${name} ${why}\n`)
  if (changes.length === 0) {
    world.stdout.write(
      options.undo ? 'There is nothing of ours to take out.\n' : 'All of it is there already.\n',
    )
    return EXIT.clear
  }
  const paint = painter(world.stdout, world.env)
  for (const change of changes) world.stdout.write(`${diffLines(change, paint).join('\n')}\n\n`)
  if (!options.yes && !(await isAgreed(world, changes.length))) {
    world.stdout.write('Nothing was written.\n')
    return EXIT.error
  }
  for (const change of changes) await apply(change, root)
  await writeRecord(record, recordAfter(written, changes, options.undo === true))
  world.stdout.write(
    options.undo
      ? `Took out what init wrote: ${changes.map(({ name }) => name).join(', ')}.\n`
      : `Wrote ${changes.map(({ name }) => name).join(', ')}. deconflict init --undo takes it back.\n`,
  )
  return EXIT.clear
}

function partsIn(only: string[] | undefined): readonly Part[] {
  const strange = only?.find((name) => !PARTS.some((part) => part === name))
  if (strange) throw new CliError(`--only takes ${PARTS.join(', ')}, not ${strange}`)
  return only ? PARTS.filter((part) => only.includes(part)) : PARTS
}

async function isAgreed(world: World, count: number): Promise<boolean> {
  if (!world.stdin.isTTY) throw new CliError('there is nobody to ask; --yes writes it')
  const ask = createInterface({ input: world.stdin, output: process.stdout })
  const answer = await ask.question(`Write ${count === 1 ? 'this file' : `these ${count} files`}? [y/N] `)
  ask.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function apply({ path, after, is_executable, before }: Change, root: string): Promise<void> {
  if (after === undefined) {
    await rm(path)
    // The directory goes too where it was made for this file alone.
    if (dirname(path) !== root) await rmdir(dirname(path)).catch(() => {})
    return
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, after)
  if (is_executable && before === undefined) await chmod(path, 0o755)
}

async function readRecord(record: string): Promise<Written> {
  const text = await readFile(record, 'utf8').catch(() => '{}')
  try {
    return Written.parse(JSON.parse(text))
  } catch {
    return {}
  }
}

function recordAfter(written: Written, changes: Change[], isUndo: boolean): Written {
  const next = { ...written }
  for (const { path, before, after } of changes) {
    if (isUndo || after === undefined) delete next[path]
    else {
      const known = written[path]
      const isOurs = known && before !== undefined && hashOf(before) === known.after
      next[path] = { before: isOurs ? known.before : (before ?? null), after: hashOf(after) }
    }
  }
  return next
}

async function writeRecord(record: string, written: Written): Promise<void> {
  if (Object.keys(written).length === 0) {
    await rm(record, { force: true })
    return
  }
  await mkdir(dirname(record), { recursive: true })
  await writeFile(record, JSON.stringify(written))
}
