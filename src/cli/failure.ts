/** How the failure of a command is reported (docs/contract/agents.md#command). */
import { CommanderError } from 'commander'
import { DeconflictError } from '../client/client.ts'
import { errorFieldsOf } from '../client/client-error.ts'
import { LockTimeout } from '../git/lock.ts'
import { escapedJson, sanitize } from '../vocabulary/text.ts'
import { CliError, type Runtime } from './runtime.ts'

/** Prints one line, which begins with `consequence`, and with `json` an object too. The parser of the arguments has printed its own line. */
export function reportFailure(
  { stdout, stderr }: Pick<Runtime, 'stdout' | 'stderr'>,
  error: unknown,
  { json = false, consequence = '' }: { json?: boolean | undefined; consequence?: string },
): void {
  if (!(error instanceof CommanderError)) stderr.write(`deconflict: ${consequence}${errorLine(error)}\n`)
  if (json) stdout.write(`${escapedJson({ error: errorObject(error) }, 2)}\n`)
}

/** What is printed for programs when a command fails. */
function errorObject(error: unknown): object {
  if (error instanceof DeconflictError) return errorFieldsOf(error)
  const { message } = error as Error
  const isGiven = error instanceof CliError || error instanceof CommanderError
  return { type: isGiven ? 'invalid_request' : 'internal_error', message: message.replace(/^error: /, '') }
}

/** For people. What the system says, such as of a full disk, names the file. */
function errorLine(error: unknown): string {
  const isKnown = error instanceof CliError || error instanceof LockTimeout
  if (isKnown || (error as NodeJS.ErrnoException)?.syscall) return sanitize((error as Error).message)
  if (!(error instanceof DeconflictError)) return (error as Error)?.stack ?? String(error)
  const hints: Partial<Record<DeconflictError['type'], string>> = {
    unauthorized: '; set GITHUB_TOKEN, or run gh auth login',
    unreachable: '; check that the server is running, and its address (DECONFLICT_URL, deconflict login)',
    timed_out: '; try again',
  }
  const request = error.request_id === null ? '' : ` (${error.request_id})`
  return sanitize(`${error.message}${hints[error.type] ?? ''}${request}`)
}
