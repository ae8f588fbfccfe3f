/** Runs another program, such as git, within a time limit. */
import type { ExecFileOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

type RunOptions = Pick<ExecFileOptions, 'cwd'> & {
  env: Record<string, string | undefined>
  timeout_ms: number
  input?: string | undefined
  /** The exit code with which it says that there is nothing. */
  none?: number | undefined
  /** Called with what it wrote to standard error, if it fails. */
  onFailure?: ((errors: string) => void) | undefined
}

const OUTPUT_MAX = 64 * 1_048_576

/** Standard output; undefined if the program fails, takes longer than `timeout_ms` or is not installed. */
export function outputOf(
  program: string,
  args: string[],
  { timeout_ms, input, none, onFailure, ...options }: RunOptions,
): Promise<string | undefined> {
  // Loaded here, because hooks that run no program start faster without this module.
  const { execFile } = process.getBuiltinModule('node:child_process')
  // A timeout of 0 would mean no limit.
  const limits = { timeout: Math.max(1, Math.ceil(timeout_ms)), maxBuffer: OUTPUT_MAX }
  return new Promise((resolve) => {
    const file = fileOf(program, options.env)
    if (file === undefined) return resolve(undefined)
    const child = execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const hasFailed = error !== null && (none === undefined || error.code !== none)
      if (hasFailed) onFailure?.(stderr)
      resolve(hasFailed ? undefined : stdout)
    })
    child.stdin?.on('error', () => {}).end(input)
  })
}

/** Windows looks in the working directory first, where a stranger's repository may have a `git.exe`. */
function fileOf(program: string, env: RunOptions['env']): string | undefined {
  if (process.platform !== 'win32') return program
  const lookup = { env, platform: process.platform, extensions: ['.exe', '.com'] }
  return programFiles(program, lookup).find(existsSync)
}

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
