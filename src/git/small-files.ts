/** Small files that several processes read and write. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The content of a file; empty if there is none, or what a stranger's link names has no end, such as `/dev/zero`. */
export function textOf(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
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
