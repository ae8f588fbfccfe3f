/** Digests of diffs that git has made already, in the git directory of a clone. A missing or broken file is made again. */

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '../engine/check/source.ts'
import { withDigest, withEncodedDigest } from './record-files.ts'

/** Above it, the oldest half goes. */
const FILES_MAX = 800

export interface Diff {
  /** The commit that it starts from; null before the first commit. */
  base_sha: string | null
  files: StoredFile[]
  commits?: string[]
  /** When the first commit was made, in milliseconds since 1970. */
  begun_at?: number
}

export class DiffCache {
  readonly #directory: string

  /** `directory`: `RecordFiles.directory`. */
  constructor(directory: string) {
    this.#directory = join(directory, 'cache')
  }

  /** The diff of `name` in this state, from the file or made now. Null is not kept. */
  async get(name: string, state: string, make: () => Promise<Diff | null>): Promise<Diff | null> {
    const known = diffOf(this.read(name, state))
    if (known !== null) return known
    const diff = await make()
    if (diff !== null) this.write(name, state, { ...diff, files: diff.files.map(withEncodedDigest) })
    return diff
  }

  /** What was written as `name` in this state; undefined if that is not there. */
  read(name: string, state: string): unknown {
    try {
      const known = JSON.parse(readFileSync(this.#fileOf(name), 'utf8'))
      return known.state === hashOf(state) ? known.value : undefined
    } catch {
      return undefined
    }
  }

  /** A read-only or full disk costs only the time of the next diff. */
  write(name: string, state: string, value: object): void {
    const file = this.#fileOf(name)
    const temporary = `${file}.${process.pid}.tmp`
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      writeFileSync(temporary, JSON.stringify({ state: hashOf(state), value }), { mode: 0o600 })
      renameSync(temporary, file)
      this.#bound()
    } catch {
      rmSync(temporary, { force: true })
    }
  }

  #fileOf(name: string): string {
    return join(this.#directory, `${hashOf(name).slice(0, 40)}.json`)
  }

  #bound(): void {
    const names = readdirSync(this.#directory)
    if (names.length <= FILES_MAX) return
    const files = names.map((name) => {
      const file = join(this.#directory, name)
      return { file, written_at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }
    })
    files.sort((a, b) => a.written_at - b.written_at)
    for (const { file } of files.slice(0, FILES_MAX / 2)) rmSync(file, { force: true })
  }
}

function diffOf(value: unknown): Diff | null {
  try {
    const diff = value as Diff & { files: Parameters<typeof withDigest>[0][] }
    return { ...diff, files: diff.files.map(withDigest) }
  } catch {
    return null
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
