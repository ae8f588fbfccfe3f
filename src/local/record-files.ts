/** The records of a clone: one JSON file each in its git directory, written under one lock (docs/contract/local.md#records). */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '../engine/check/source.ts'
import { digestIfKnown, encodeDigest } from '../engine/lines/digest-bytes.ts'
import { KEY_BYTES, type LineHasher, lineHasher } from '../engine/lines/line-hash.ts'
import type { StoredNotable } from '../engine/records/notable.ts'
import { withLock } from '../git/lock.ts'
import { fetchedAt } from './pull-requests.ts'
import type { LocalWork } from './work.ts'

/** The most records, and their bytes together; the oldest ones go. */
const RECORDS_MAX = 500
const BYTES_MAX = 16 * 1_048_576
/** A killed writer blocks nobody for longer. */
const LOCK_MS = 2000

export interface Records {
  work: LocalWork[]
  notables: StoredNotable[]
  /** The names of the files that cannot be read. They are kept. */
  broken: string[]
  /** When pull requests were fetched last; null if never. */
  fetched_at: Date | null
}

export class RecordFiles {
  readonly directory: string
  readonly #work: string

  /** `common_directory`: the git directory that all working trees of the clone share. */
  constructor(common_directory: string) {
    this.directory = join(common_directory, 'deconflict')
    this.#work = join(this.directory, 'work')
  }

  /** All records, in any order. Nothing is written. */
  read(): Records {
    const records: Records = { work: [], notables: [], broken: [], fetched_at: fetchedAt(this.directory) }
    for (const name of namesIn(this.#work).filter((each) => each.endsWith('.json'))) {
      try {
        const value = JSON.parse(readFileSync(join(this.#work, name), 'utf8'), revived)
        if (name === `${value.activity?.id}.json`)
          records.work.push({ ...value, files: value.files.map(withDigest) })
        else if (name === `${value.notable?.id}.json`) records.notables.push(value.notable)
        else records.broken.push(name)
      } catch (error) {
        // Another process may have deleted it meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') records.broken.push(name)
      }
    }
    return records
  }

  /** Runs `change` on the records as they are now, while no other process changes them, and stores what it puts. */
  async change<Result>(
    change: (
      records: Records,
      put: (record: { work: LocalWork } | { notable: StoredNotable }) => void,
    ) => Result,
  ): Promise<Result> {
    this.#create(this.#work)
    return withLock({ directory: this.directory, key: 'work', timeout_ms: LOCK_MS }, async () => {
      const result = change(this.read(), (record) => this.#write(record))
      this.#bound()
      return result
    })
  }

  /** Hashes lines with the random key of the clone, which the first call makes. */
  hasher(): LineHasher {
    const file = join(this.directory, 'key')
    this.#create(this.directory)
    try {
      writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return lineHasher(readFileSync(file))
  }

  #create(directory: string): void {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // Hooks of a service may have made it for everybody to read.
    chmodSync(this.directory, 0o700)
  }

  /** The file is replaced at once, so that a reader finds the old one or the new one. */
  #write(record: { work: LocalWork } | { notable: StoredNotable }): void {
    const [id, value] =
      'work' in record
        ? [record.work.activity.id, { ...record.work, files: record.work.files.map(withEncodedDigest) }]
        : [record.notable.id, record]
    const file = join(this.#work, `${id}.json`)
    const temporary = `${file}.${process.pid}.tmp`
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 })
    renameSync(temporary, file)
  }

  /** Deletes the oldest records above the limits, and what killed writers left behind. */
  #bound(): void {
    const files = namesIn(this.#work).map((name) => {
      const file = join(this.#work, name)
      const { size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
      return { file, size, written_at: mtimeMs, is_record: name.endsWith('.json') }
    })
    for (const { file, is_record } of files) if (!is_record) rmSync(file, { force: true })
    const newest = files.filter(({ is_record }) => is_record).sort((a, b) => b.written_at - a.written_at)
    let bytes = 0
    for (const [index, { file, size }] of newest.entries()) {
      bytes += size
      if (index >= RECORDS_MAX || bytes > BYTES_MAX) rmSync(file, { force: true })
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const TIMES = new Set(['applies_until'])

function revived(key: string, value: unknown): unknown {
  const isTime = typeof value === 'string' && (key.endsWith('_at') || TIMES.has(key))
  return isTime ? new Date(value) : value
}

export function withEncodedDigest({ digest, ...file }: StoredFile) {
  if (digest === null) return { ...file, digest }
  const bytes = digest instanceof Uint8Array ? digest : encodeDigest(digest)
  return { ...file, digest: Buffer.from(bytes).toString('base64') }
}

export function withDigest({
  digest,
  ...file
}: Omit<StoredFile, 'digest'> & { digest: string | null }): StoredFile {
  return { ...file, digest: digest === null ? null : digestIfKnown(Buffer.from(digest, 'base64')) }
}
