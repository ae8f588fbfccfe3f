/** The log: one JSON object per line, with the correlation ids of the current request or job (docs/observability.md). */
import { type DestinationStream, type Logger, pino } from 'pino'
import { correlationIds } from './execution.ts'

/** Opens a log that writes to standard output by default. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  return pino({ level, base: undefined, mixin: correlationIds }, destination)
}
