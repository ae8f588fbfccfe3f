/** Edits of a working tree that make the two sides of a seeded conflict. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Edit =
  /** Replaces the first `find`, which must be there. */
  | { file: string; find: string; put: string }
  /** Adds to the end of a file, or creates it. */
  | { file: string; add: string }
  /** Replaces a word in all files. */
  | { word: string; put: string }
  | { move: string; to: string }

/** Two changes that git merges, each of which passes alone. */
export interface Seed {
  kind: string
  one: readonly Edit[]
  other: readonly Edit[]
}

export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd, maxBuffer: 2 ** 28 })
  return stdout.replace(/\n$/, '')
}

export async function apply(directory: string, edits: readonly Edit[]): Promise<void> {
  for (const edit of edits) {
    if ('move' in edit) {
      await mkdir(dirname(join(directory, edit.to)), { recursive: true })
      await rename(join(directory, edit.move), join(directory, edit.to))
    } else if ('word' in edit) await replaceWord(directory, edit)
    else if ('add' in edit) await addTo(join(directory, edit.file), edit.add)
    else await replaceFirst(join(directory, edit.file), edit)
  }
}

async function replaceWord(directory: string, { word, put }: { word: string; put: string }): Promise<void> {
  const files = (await git(directory, 'grep', '-l', '-w', '-I', '-F', '-e', word)).split('\n')
  for (const file of files) {
    const text = await readFile(join(directory, file), 'utf8')
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    await writeFile(
      join(directory, file),
      text.replace(new RegExp(`(?<!\\w)${escaped}(?!\\w)`, 'g'), () => put),
    )
  }
}

async function addTo(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const before = await readFile(path, 'utf8').catch(() => '')
  await writeFile(path, before + text)
}

async function replaceFirst(path: string, { find, put }: { find: string; put: string }): Promise<void> {
  const text = await readFile(path, 'utf8')
  if (!text.includes(find)) throw new Error(`${path} does not have ${JSON.stringify(find)}`)
  await writeFile(
    path,
    text.replace(find, () => put),
  )
}
