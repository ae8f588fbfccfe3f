/** Runs another program, such as git, within a time limit. */
import type { ExecFileOptions } from 'node:child_process'

type RunOptions = Pick<ExecFileOptions, 'cwd' | 'env'> & { timeout_ms: number }

const OUTPUT_MAX = 64 * 1_048_576

/** Standard output; undefined if the program fails, takes longer than `timeout_ms` or is not installed. */
export function outputOf(
  program: string,
  args: string[],
  { timeout_ms, ...options }: RunOptions,
): Promise<string | undefined> {
  // Loaded here, because hooks that run no program start faster without this module.
  const { execFile } = process.getBuiltinModule('node:child_process')
  // A timeout of 0 would mean no limit.
  const limits = { timeout: Math.max(1, Math.ceil(timeout_ms)), maxBuffer: OUTPUT_MAX }
  return new Promise((resolve) => {
    const child = execFile(program, args, { ...options, ...limits }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    )
    child.stdin?.end()
  })
}
