/**
 * The limits of a scope, paths that none has, and what a list shows of it. This file imports nothing, so that the command can use
 * it without loading schemas.
 */

export const PATHS_MAX = 3000
/** Characters of a path. */
export const PATH_LENGTH_MAX = 1024
export const CHANGES_MAX = 3000
/** UTF-8 bytes of all patches of a request together. */
export const PATCHES_BYTES_MAX = 524_288

/** How many of its paths and files an item of a list shows. */
export const LISTED_PATHS_MAX = 20

interface ListedScope {
  areas: string[]
  paths: string[]
  changes: { path: string }[]
  /** How many different paths and files there are, if not all are shown. */
  path_count?: number | undefined
}

/** One path of each folder comes before others: they show where the work is. */
export function listedScope({ areas, paths, changes }: ListedScope): ListedScope {
  const all = new Set([...paths, ...changes.map(({ path }) => path)])
  const firsts = new Map<string, string>()
  for (const path of all) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    if (!firsts.has(folder)) firsts.set(folder, path)
  }
  const listed = new Set([...new Set([...firsts.values(), ...all])].slice(0, LISTED_PATHS_MAX))
  return {
    areas,
    paths: paths.filter((path) => listed.has(path)),
    changes: changes.flatMap(({ path }) => (listed.has(path) ? [{ path }] : [])),
    ...(all.size > LISTED_PATHS_MAX && { path_count: all.size }),
  }
}

/** `C:\src`, `C:/src` or `\\host\share`. */
export function isMachinePath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\[^\\/])/.test(path)
}

export const MACHINE_PATH =
  'is a path of a Windows machine; send the path from the root of the repository, such as src/a.ts'
