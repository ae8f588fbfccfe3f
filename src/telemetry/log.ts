/** The log: a JSON text a line, each with the ids of what it was written for (docs/observability.md). */
import { type DestinationStream, type Logger, pino } from 'pino'
import { correlationIds } from './execution.ts'
import { currentTraceId } from './trace.ts'

/** A log that writes to the standard output, unless told otherwise. */
export function openLog(level: string, to?: DestinationStream): Logger {
  return pino(
    { level, base: undefined, mixin: () => ({ ...correlationIds(), trace_id: currentTraceId() }) },
    to,
  )
}
