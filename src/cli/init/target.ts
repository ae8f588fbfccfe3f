/** The files that `deconflict init` writes to. Pure. */
import { isAbsolute, relative } from 'node:path'

/** One file that a part of `init` writes to. */
export interface Target {
  path: string
  is_executable?: boolean
  /** What Deconflict adds to the file, in a few words. */
  about(text: string): string
  /** The new content of the file, from its content. Undefined: no file. Throws `CliError` if the file must not be changed. */
  add(text: string | undefined): string | undefined
  remove(text: string): string | undefined
}

/** A path as it is shown: relative to the working tree, else to the home directory. */
export function shownPath(path: string, { root, home }: { root: string; home: string }): string {
  const [inTree, inHome] = [relative(root, path), relative(home, path)]
  const isOutside = (each: string) => each.startsWith('..') || isAbsolute(each)
  return isOutside(inTree) && !isOutside(inHome) ? `~/${inHome}` : inTree
}
