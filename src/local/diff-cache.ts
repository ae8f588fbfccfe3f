/** Digests of diffs that git has made already, in the git directory of a clone. A missing or broken file is made again. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { keepNewest, namesIn, replaceFile } from '../git/small-files.ts'
import { systemClock } from '../vocabulary/clock.ts'
import { type RecordFiles, withDigest, withEncodedDigest } from './record-files.ts'
import type { Diff } from './work.ts'

/** Above it, the oldest half goes. */
const FILES_MAX = 800

export interface Kept {
  /** What the diff depends on. */
  state: string
  /** When it was so for the last time, by the clock of the files. */
  seen_at: number
  diff: Diff
}

export class DiffCache {
  readonly #records: RecordFiles
  readonly #directory: string

  constructor(records: RecordFiles) {
    this.#records = records
    this.#directory = join(records.directory, 'cache')
  }

  /** The diff of `name` in this state, from the file or made now, where `make` gets that of another state. Null is not kept. */
  async get(name: string, state: string, left_ms: number, make: (known?: Diff) => Promise<Diff | null>) {
    const known = this.kept(name, left_ms)
    if (known?.state === state) return known.diff
    const diff = await make(known?.diff)
    if (diff !== null) this.keep(name, { state, diff, seen_at: systemClock().getTime() })
    return diff
  }

  /** The diff that is kept of `name`; null if none is, or `left_ms` may be enough for the patches that it lacks. */
  kept(name: string, left_ms: number): Kept | null {
    const { state, seen_at, value } = this.#read(name) ?? {}
    if (state === undefined || seen_at === undefined) return null
    try {
      const diff = value as Diff & { files: Parameters<typeof withDigest>[0][] }
      if (diff.late_ms && left_ms > 2 * diff.late_ms) return null
      return { state, seen_at, diff: { ...diff, files: diff.files.map(withDigest) } }
    } catch {
      return null
    }
  }

  keep(name: string, { state, seen_at, diff }: Kept): void {
    this.write(name, state, { ...diff, files: diff.files.map(withEncodedDigest) })
    this.seen(name, seen_at)
  }

  /** What was written as `name` in this state; undefined if that is not there. */
  read(name: string, state: string): unknown {
    const known = this.#read(name)
    return known?.state === state ? known.value : undefined
  }

  #read(name: string): { state?: string; seen_at?: number; value?: unknown } | undefined {
    const file = this.#fileOf(name)
    try {
      return { ...JSON.parse(readFileSync(file, 'utf8')), seen_at: statSync(file).mtimeMs }
    } catch {
      return undefined
    }
  }

  /** A read-only or full disk costs only the time of the next diff. */
  write(name: string, state: string, value: object): void {
    try {
      replaceFile(this.#fileOf(name), JSON.stringify({ state, value }))
      if (namesIn(this.#directory).length > FILES_MAX)
        keepNewest(this.#directory, { files_max: FILES_MAX / 2, bytes_max: Number.POSITIVE_INFINITY })
    } catch {
      // It is made again.
    }
  }

  /** What is kept was the same at this time. */
  seen(name: string, at: number): void {
    try {
      utimesSync(this.#fileOf(name), at / 1000, at / 1000)
    } catch {
      // It is looked at again.
    }
  }

  #fileOf(name: string): string {
    return join(this.#directory, `${hashOf(`${this.#records.key().name} ${name}`)}.json`)
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}
