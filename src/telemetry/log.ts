/** The log: a JSON text a line, each with the ids of what it was written for (docs/observability.md). */
import { type DestinationStream, type Logger, pino } from 'pino'
import { traceIdNow } from './trace.ts'
import { idsNow } from './work.ts'

/** A log that writes to the standard output, unless told otherwise. */
export function openLog(level: string, to?: DestinationStream): Logger {
  return pino({ level, base: undefined, mixin: () => ({ ...idsNow(), trace_id: traceIdNow() }) }, to)
}
