/** Reads a clone as it is now, for one method of the client. */
import type { CheckContext } from '../engine/check/source.ts'
import { type Clone, type CloneOptions, readClone } from './clone.ts'
import { type ContextOptions, contextOf } from './clone-source.ts'
import type { RecordFiles } from './record-files.ts'

export interface ReaderOptions extends Omit<CloneOptions & ContextOptions, 'now'> {
  files: RecordFiles
}

export interface Reader extends ReaderOptions {
  /** `is_with_own`: the changes of the working tree that asks count as work as well. */
  read(now: Date, is_with_own?: boolean): Promise<Clone>
  contextOf(clone: Clone, now: Date): CheckContext
}

export function readerOf(options: ReaderOptions): Reader {
  return {
    ...options,
    read: (now, is_with_own = false) => readClone(options.files.read(), { ...options, now }, { is_with_own }),
    contextOf: (clone, now) => contextOf(clone, { ...options, now }),
  }
}
