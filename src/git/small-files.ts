/** Small files that several processes read and write. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** In bytes, of a file that a stranger may have committed. GitHub, too, leaves out the content of larger ones. */
export const CONTENT_MAX = 1_048_576

/**
 * The content of a file, or more than `max` bytes in place of a larger one; undefined if there is none. A stranger's link can name what has
 * no end, such as `/dev/zero`, or ends after gigabytes, such as `/proc/self/pagemap`, which says that it is empty.
 */
export function contentOf(file: string, max = Number.POSITIVE_INFINITY): Buffer | undefined {
  try {
    const found = statSync(file)
    if (!found.isFile()) return undefined
    if (found.size > max) return Buffer.alloc(max + 1, '#')
    return found.size === 0 ? Buffer.of() : readFileSync(file)
  } catch {
    return undefined
  }
}

/** The same as text; empty if there is none. */
export function textOf(file: string, max?: number): string {
  return contentOf(file, max)?.toString() ?? ''
}

/** The names of the files in `directory`; none if it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Replaces a file at once, for the user alone, so that a reader finds the old content or the new one. */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Deletes the oldest files above these limits, and what killed writers left behind. */
export function keepNewest(directory: string, limits: { files_max: number; bytes_max: number }): void {
  const files = namesIn(directory).map((name) => {
    const file = join(directory, name)
    const { size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
    return { name, file, size, written_at: mtimeMs }
  })
  for (const { file, name } of files) if (name.endsWith('.tmp')) rmSync(file, { force: true })
  const newest = files
    .filter(({ name }) => name.endsWith('.json'))
    .sort((a, b) => b.written_at - a.written_at)
  let bytes = 0
  for (const [index, { file, size }] of newest.entries()) {
    bytes += size
    if (index >= limits.files_max || bytes > limits.bytes_max) rmSync(file, { force: true })
  }
}
