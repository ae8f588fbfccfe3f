/** The audit log: one line of JSON for each write of a person or program, and for each effect of the App on GitHub (docs/operations.md#audit-log). */
import { appendFile } from 'node:fs/promises'

/** No token, title, summary, path or code. */
export interface AuditEntry {
  /** ISO 8601. */
  at: string
  /** The request, or what enqueued the job. */
  request_id: string | null
  /** The operation, or the effect on GitHub. */
  action: string
  /** The GitHub login; null for a token without a user, and for the App. */
  login: string | null
  owner: string
  repo: string
  /** The id of the record, or the number of the pull request as `#12`; null if there is none. */
  record_id: string | null
  source: 'rest' | 'mcp' | 'app'
  /** The address of the client; null for the App. */
  address: string | null
}

export interface AuditLog {
  /** Returns at once. Lines are in the order of the calls. */
  write(entry: AuditEntry | Promise<AuditEntry>): void
  /** Resolves when everything was written, or has failed. */
  idle(): Promise<void>
}

/**
 * `target`: `stdout`, or a file that is opened for appending with each line, so that it can be moved away. `onError` is
 * called for each line that could not be written, and at once if the file cannot be opened, before a line is lost.
 */
export function openAuditLog(target: string, onError: (error: unknown) => void): AuditLog {
  const append = async (line: string) =>
    target === 'stdout' ? void process.stdout.write(line) : await appendFile(target, line, { mode: 0o600 })
  let last = append('').catch(onError)
  return {
    write: (entry) => {
      last = last.then(async () => append(`${JSON.stringify(await entry)}\n`)).catch(onError)
    },
    idle: () => last,
  }
}
