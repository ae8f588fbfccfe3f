/** Paths as people, agents and hooks name them, as paths of the repository: relative to its root, with `/`. */
import { lstatSync, realpathSync } from 'node:fs'
import nodePath, { type PlatformPath } from 'node:path'
import { escapeGlob } from '../git/request-size.ts'
import { isMachinePath } from '../vocabulary/scope/limits.ts'
import { CliError } from './runtime.ts'

/** A working tree as seen from a directory in it. */
export interface TreeView {
  root: string
  cwd: string
  /** Of the operating system. */
  path: PlatformPath
  /** The path without symbolic links, in the spelling of the disk, as far as it exists. Keeps a link at its end. */
  real(absolute: string): string
}

const GLOB_CHARACTER = /[\\*?[\]{}]/

export function viewOf(root: string, cwd: string): TreeView {
  return { root, cwd, path: nodePath, real: realPath }
}

/**
 * The glob of the repository for a path or glob as typed in `view.cwd`: `./`, `../` and absolute paths are resolved, and on
 * Windows `\` separates names. Throws `CliError` if it lies outside of the repository.
 */
export function globInTree(typed: string, view: TreeView): string {
  const { path } = view
  if (typed === '') throw new CliError('an empty path names no file')
  const isWindows = path.sep === '\\'
  if (!isWindows && isMachinePath(typed)) throw new CliError(outside(typed, view))
  const text = isWindows ? typed.replaceAll('\\', '/') : typed
  const { root, rest: names } = splitRoot(text, view)
  const wild = names.findIndex((name) => GLOB_CHARACTER.test(name))
  const [plain, rest] = wild === -1 ? [names, []] : [names.slice(0, wild), names.slice(wild)]
  if (rest.includes('..')) throw new CliError(`${typed}: '..' must not follow a wildcard`)
  const inside = fileInTree(path.resolve(root, ...plain), view)
  if (inside === undefined) throw new CliError(outside(typed, view))
  const all = [...(inside === '' ? [] : [escapeGlob(inside)]), ...rest.filter((name) => name !== '.')]
  if (all.length === 0) return '**'
  return `${all.join('/')}${text.endsWith('/') ? '/' : ''}`
}

/** The path of a file that is named by its own name, empty for the root; undefined if it lies outside of the repository. */
export function fileInTree(named: string, view: TreeView): string | undefined {
  const { path, cwd, root, real } = view
  const absolute = path.resolve(cwd, named)
  const name = path.relative(real(root), real(absolute))
  if (name === '..' || name.startsWith(`..${path.sep}`) || path.isAbsolute(name)) return undefined
  return name.split(path.sep).join('/')
}

/** Where the names start, and the names. The root of the repository itself may contain characters of globs. */
function splitRoot(text: string, { path, cwd, root }: TreeView): { root: string; rest: string[] } {
  const slashed = root.replaceAll(path.sep, '/')
  const isSame = (one: string, other: string) => path.relative(one, other) === ''
  const named = text.slice(0, slashed.length)
  const [start, rest] =
    path.isAbsolute(text) && isSame(named, slashed) && /^(?:\/|$)/.test(text.slice(slashed.length))
      ? [root, text.slice(slashed.length)]
      : path.isAbsolute(text)
        ? [path.parse(text).root, text.slice(path.parse(text).root.length)]
        : [cwd, text]
  return { root: start, rest: rest.split('/').filter((name) => name !== '') }
}

function outside(typed: string, { root }: TreeView): string {
  return `${typed} lies outside of the repository ${root}; name files of the repository, relative to the working directory`
}

function realPath(absolute: string): string {
  const { dirname, basename, join } = nodePath
  const parent = dirname(absolute)
  try {
    const isLink = parent !== absolute && lstatSync(absolute).isSymbolicLink()
    return isLink ? join(realPath(parent), basename(absolute)) : realpathSync.native(absolute)
  } catch {
    // It does not exist, or must not be read.
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute))
  }
}
