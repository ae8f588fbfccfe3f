/** File names as paths of a scope: escaped to match only themselves, and within the limits of one request. */
import { PATHS_MAX } from '../vocabulary/scope/limits.ts'

/** The paths that match `files`. More than `max` files are replaced by the directories that contain them. */
export function scopePaths(files: readonly string[], max = PATHS_MAX): string[] {
  let depth = files.reduce((most, file) => Math.max(most, file.split('/').length), 1)
  let names = [...new Set(files)]
  while (names.length > max && depth > 1) {
    depth -= 1
    const segments = depth
    names = [...new Set(files.map((file) => file.split('/').slice(0, segments).join('/')))]
  }
  return names.slice(0, max).map(escapeGlob)
}

/** Escapes a path so that it matches only itself. A class such as `[id]` is not escaped, because it also matches its own text, and `app/[id]/page.tsx` is easier to read. */
export function escapeGlob(path: string): string {
  return path
    .replace(/\\|[*?{}]|\[(?![\w.-]+\])|^!/g, (char) => `\\${char}`)
    .replace(/(\[[\w.-]+)?\]/g, (match, open) => (open ? match : `\\${match}`))
}
