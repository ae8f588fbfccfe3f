/** What a command prints when it fails. */
import { CommanderError } from 'commander'
import { DeconflictError } from '../client/client.ts'
import { errorFieldsOf } from '../client/client-error.ts'
import { LockTimeout } from '../git/lock.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { CliError } from './runtime.ts'

/** For programs. */
export function errorObject(error: unknown): object {
  if (error instanceof DeconflictError) return errorFieldsOf(error)
  const { message } = error as Error
  const isGiven = error instanceof CliError || error instanceof CommanderError
  return { type: isGiven ? 'invalid_request' : 'internal_error', message: message.replace(/^error: /, '') }
}

/** For people. */
export function errorLine(error: unknown): string {
  if (error instanceof CliError || error instanceof LockTimeout) return error.message
  if (!(error instanceof DeconflictError)) return (error as Error)?.stack ?? String(error)
  const hints: Partial<Record<DeconflictError['type'], string>> = {
    unauthorized: '; set GITHUB_TOKEN, or run gh auth login',
    unreachable: '; check that the server is running, and its address (DECONFLICT_URL, deconflict login)',
    timed_out: '; try again',
  }
  const request = error.request_id === null ? '' : ` (${error.request_id})`
  return sanitize(`${error.message}${hints[error.type] ?? ''}${request}`)
}
