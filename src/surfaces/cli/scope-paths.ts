/** Names of files as paths of a scope: spelt so that they mean themselves, and no more than one request takes (contract §4). */
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

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

/** The names of the files that lie below `root`, from there; the others are left out. */
export async function filesBelow(
  root: string,
  { files, cwd }: { files: string[]; cwd: string },
): Promise<string[]> {
  const real = await realpath(root)
  const names = files.map((file) => {
    const whole = isAbsolute(file) ? file : join(cwd, file)
    return [relative(root, whole), relative(real, whole)].find((name) => !isOutside(name))
  })
  return names.filter((name) => name !== undefined).map((name) => name.split(sep).join('/'))
}

function isOutside(name: string): boolean {
  return name === '' || name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name)
}
