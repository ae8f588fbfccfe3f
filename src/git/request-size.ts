/** Fits changed files into one request, and escapes their names as paths of its scope, to match only themselves. Pure. */
import { CHANGES_MAX, PATCHES_BYTES_MAX, PATH_LENGTH_MAX, PATHS_MAX } from '../vocabulary/scope/limits.ts'
import type { Change } from './diff-output.ts'

/** The maximum size of all changes as JSON, in bytes. A request has at most 1 MiB, including paths and other fields. */
const JSON_MAX = 786_432
/** The maximum number of globs for the files that do not fit. */
const OTHER_PATHS_MAX = 1000

/**
 * Keeps the first files, and as many of their patches as fit, the smallest first. `paths`: globs that match the files that
 * did not fit.
 */
export function fitChanges(all: readonly Change[]): { changes: Change[]; paths: string[] } {
  let json_left = JSON_MAX
  const fits = (field: object) => {
    json_left -= Buffer.byteLength(JSON.stringify(field)) + 1
    return json_left >= 0
  }
  // The service rejects longer names.
  const named = all.filter(({ path, previous_path = '' }) =>
    [path, previous_path].every((name) => name.length <= PATH_LENGTH_MAX),
  )
  const end = named.findIndex(({ patch: _, ...change }, at) => at >= CHANGES_MAX || !fits(change))
  const kept = named.slice(0, end === -1 ? named.length : end)
  const others = named.slice(kept.length).flatMap(({ path, previous_path }) => [path, previous_path ?? path])
  const sized = kept.map(({ path, patch = '' }) => ({ path, patch, bytes: Buffer.byteLength(patch) }))
  let bytes_left = PATCHES_BYTES_MAX
  const with_patch = new Set<string>()
  for (const { path, patch, bytes } of sized.toSorted((a, b) => a.bytes - b.bytes)) {
    bytes_left -= bytes
    if (bytes_left < 0 || (bytes > 0 && !fits({ patch }))) break
    with_patch.add(path)
  }
  return {
    changes: kept.map(({ patch, ...change }) =>
      patch !== undefined && with_patch.has(change.path) ? { ...change, patch } : change,
    ),
    paths: others.length === 0 ? [] : scopePaths(others, OTHER_PATHS_MAX),
  }
}

/** The paths that match `files`. More than `max` files are replaced by the directories that contain them. */
export function scopePaths(files: readonly string[], max = PATHS_MAX): string[] {
  const namesAt = (depth: number) => {
    const start = new RegExp(`^(?:[^/]*/){0,${depth - 1}}[^/]*`)
    return [...new Set(files.map((file) => start.exec(file)?.[0] ?? file))]
  }
  const all = [...new Set(files)]
  if (all.length <= max) return all.map(escapeGlob)
  let [names, fits, exceeds] = [namesAt(1), 1, PATH_LENGTH_MAX]
  // Fewer levels never give more names.
  while (exceeds - fits > 1) {
    const depth = (fits + exceeds) >> 1
    const found = namesAt(depth)
    if (found.length > max) exceeds = depth
    else [names, fits] = [found, depth]
  }
  return names.slice(0, max).map(escapeGlob)
}

/** Escapes a path so that it matches only itself. A class such as `[id]` is not escaped, because it also matches its own text, and `app/[id]/page.tsx` is easier to read. */
export function escapeGlob(path: string): string {
  return path
    .replace(/\\|[*?{}]|\[(?![\w.-]+\])|^!/g, (char) => `\\${char}`)
    .replace(/(\[[\w.-]+)?\]/g, (match, open) => (open ? match : `\\${match}`))
}
