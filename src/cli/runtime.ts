/** The process that a command runs in, the error that ends a command, and its exit codes. */
import type { Clock } from '../vocabulary/clock.ts'

export interface Runtime {
  env: Record<string, string | undefined>
  /** The working directory. */
  cwd: string
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Output
  stderr: Output
  clock: Clock
  /** Called before much code is loaded. */
  startFast(): void
  /** Milliseconds since the process started. */
  uptime_ms(): number
  /** The time that a hook may take, counted from the start of the process. */
  hook_limit_ms: number
}

export interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** Ends the command with one line that says what is wrong and what to do. */
export class CliError extends Error {}

export const EXIT = { clear: 0, error: 1, overlap: 2 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
