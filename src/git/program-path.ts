/** The files that a program may be, by the rules of the system for PATH. Pure. */
import { posix, win32 } from 'node:path'

interface Lookup {
  env: Record<string, string | undefined>
  platform: string
  /** On Windows, instead of those of PATHEXT. */
  extensions?: readonly string[]
}

const EXTENSIONS = '.COM;.EXE;.BAT;.CMD'

/** In the order in which they are tried. Leaves out relative directories, which could be in the repository of a stranger. */
export function programFiles(name: string, { env, platform, extensions }: Lookup): string[] {
  if (platform !== 'win32') return directoriesIn(env.PATH, posix).map((each) => posix.join(each, name))
  // A copy of the environment distinguishes upper and lower case, unlike the environment of Windows.
  const variable = (wanted: string) =>
    Object.entries(env).find(([key]) => key.toUpperCase() === wanted)?.[1] || undefined
  const endings = extensions ?? (variable('PATHEXT') ?? EXTENSIONS).toLowerCase().split(';').filter(Boolean)
  return directoriesIn(variable('PATH'), win32).flatMap((each) =>
    endings.map((ending) => win32.join(each, `${name}${ending}`)),
  )
}

function directoriesIn(list = '', { delimiter, isAbsolute }: typeof posix): string[] {
  return list
    .split(delimiter)
    .map((each) => each.replace(/^"(.*)"$/, '$1'))
    .filter((each) => isAbsolute(each))
}
