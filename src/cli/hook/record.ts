/** What the hooks of a working tree store for each other: the last run, and the pause after a failure of the service. */
import { join } from 'node:path'
import { readJson, stateDirectory, writeJson } from '../local-state.ts'

export interface HookRecord {
  /** The last hook that ran, for `deconflict doctor`. */
  last: {
    /** Milliseconds since the epoch. */
    at: number
    event: string
    agent: string
    /** `ok`; `quiet`: there was nothing to do; `paused`: no request, because an earlier hook failed; else the error message. */
    outcome: string
  } | null
  /** After a failure, hooks send no request to the service at `url` before `until`, in milliseconds since the epoch. */
  paused: { until: number; url: string; why: string } | null
  /** The address of the service and the remote, if both were found to be of the same GitHub host. */
  known_host: string | null
}

const NO_RECORD: HookRecord = { last: null, paused: null, known_host: null }

export function readRecord(git_directory: string): HookRecord {
  return { ...NO_RECORD, ...Object(readJson(fileIn(git_directory))) }
}

/** If several hooks end at the same time, the last write wins. */
export function updateRecord(git_directory: string, fields: Partial<HookRecord>): void {
  writeJson(fileIn(git_directory), { ...readRecord(git_directory), ...fields })
}

function fileIn(git_directory: string): string {
  return join(stateDirectory(git_directory), 'hooks.json')
}
