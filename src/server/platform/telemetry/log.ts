/** The log: one JSON object per line, with the correlation ids of the current request or job (docs/observability.md); at a terminal, one readable line per event. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { correlationIds } from './execution.ts'

/** Opens a log that writes to standard output by default. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  return pino({ level, base: undefined, mixin: correlationIds }, destination)
}

const WARN = 40
const ERROR = 50
/** Messages of which there are too many to read. `LOG_LEVEL=debug` shows them. */
const ROUTINE = new Set(['request', 'request aborted by the client', 'job', 'delivery', 'sweep completed'])
/** Fields that only machines need. */
const OMITTED = new Set(['level', 'time', 'msg', 'request_id', 'job', 'caused_by', 'delivery'])

/** Formats the log's JSON lines and passes them to `write`. */
export function terminalLog(level: string, write: (text: string) => void): DestinationStream {
  const hidesRoutine = level === 'info'
  return {
    write(line) {
      const entry: Entry = JSON.parse(line)
      if (hidesRoutine && entry.level < WARN && ROUTINE.has(entry.msg ?? '')) return
      write(`${formatLine(entry)}\n`)
    },
  }
}

interface Entry {
  level: number
  time: number
  msg?: string
}

function formatLine({ level, time, msg, ...fields }: Entry): string {
  const mark = level >= ERROR ? '✗' : level >= WARN ? '⚠' : ' '
  const shown = Object.entries(fields)
    .filter(([name, value]) => !OMITTED.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [new Date(time).toTimeString().slice(0, 8), mark, msg ?? '', ...shown].join(' ')
}
