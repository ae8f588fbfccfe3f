/** Names of files as paths of a scope: spelt so that they mean themselves, and no more than one request takes (contract §4). */

export const PATHS_MAX = 3000

/** The paths of `files`; of very many, the directories that hold them, which cover what is beneath. */
export function pathsOf(files: readonly string[]): string[] {
  let depth = Math.max(1, ...files.map((file) => file.split('/').length))
  let names = [...new Set(files)]
  while (names.length > PATHS_MAX && depth > 1) {
    depth -= 1
    const cut = depth
    names = [...new Set(files.map((file) => file.split('/').slice(0, cut).join('/')))]
  }
  return names.slice(0, PATHS_MAX).map(literal)
}

/** A name in brackets matches itself too, and reads better as it is: `app/[id]/page.tsx`. */
function literal(path: string): string {
  return path
    .replace(/\\|[*?{}]|\[(?![\w.-]+\])|^!/g, (char) => `\\${char}`)
    .replace(/(\[[\w.-]+)?\]/g, (match, open) => (open ? match : `\\${match}`))
}
