/** What the hooks of a working tree remember for each other: the last run, and until when the service is left alone. */
import { join } from 'node:path'
import { readJson, stateDirectory, writeJson } from '../local-state.ts'

export interface HookRecord {
  /** The last hook that ran, for `deconflict doctor`. */
  last: {
    /** Milliseconds since the epoch. */
    at: number
    event: string
    agent: string
    /** `quiet`: nothing to ask; `paused`: not asked, because an earlier hook failed; else `ok`, or the error. */
    outcome: string
  } | null
  /** After a failure no hook asks the service at `url` until then, in milliseconds since the epoch. */
  paused: { until: number; url: string; why: string } | null
  /** The service and the remote whose host was found to be the same. */
  known_host: string | null
}

const NO_RECORD: HookRecord = { last: null, paused: null, known_host: null }

export function readRecord(git_directory: string): HookRecord {
  return { ...NO_RECORD, ...Object(readJson(fileIn(git_directory))) }
}

/** Of hooks that end at once, the last one wins. */
export function updateRecord(git_directory: string, fields: Partial<HookRecord>): void {
  writeJson(fileIn(git_directory), { ...readRecord(git_directory), ...fields })
}

function fileIn(git_directory: string): string {
  return join(stateDirectory(git_directory), 'hooks.json')
}
