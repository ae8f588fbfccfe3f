/** The records of a clone: one JSON file each in its git directory, written under one lock (docs/contract/local.md#records). */
import { hash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '../engine/check/source.ts'
import { encodeDigest } from '../engine/lines/digest.ts'
import { KEY_BYTES, type LineHasher, lineHasher } from '../engine/lines/line-hash.ts'
import type { StoredNotable } from '../engine/records/notable.ts'
import { createWhole, withLock } from '../git/lock.ts'
import { keepNewest, namesIn, replaceFile } from '../git/small-files.ts'
import { type Fetched, lastFetch } from './pull-requests.ts'
import { type LocalWork, NO_FIELDS, UNCLAIMED } from './work.ts'

/** The most records, and their bytes together; the oldest ones go. */
const RECORDS_MAX = 500
const BYTES_MAX = 16 * 1_048_576
/** A writer that was killed where others cannot see it, as in a container, blocks nobody for longer. */
const LOCK_MS = 2000
/** For many writers at once. */
const WAIT_MS = 10_000

export interface Records {
  work: LocalWork[]
  notables: StoredNotable[]
  /** The names of the files that cannot be read. They are kept. */
  broken: string[]
  fetched: Fetched | null
}

type StoredRecord = { work: LocalWork } | { notable: StoredNotable }

interface CloneKey {
  hasher: LineHasher
  /** Under a key of another name, the same line has another hash. */
  name: string
}

export class RecordFiles {
  readonly directory: string
  readonly #work: string
  #key: CloneKey | undefined

  /** `common_directory`: the git directory that all working trees of the clone share. */
  constructor(common_directory: string) {
    this.directory = join(common_directory, 'deconflict')
    this.#work = join(this.directory, 'work')
  }

  /** All records, in any order. Nothing is written. */
  read(): Records {
    const records: Records = { work: [], notables: [], broken: [], fetched: lastFetch(this.directory) }
    const names = namesIn(this.#work).filter((each) => each.endsWith('.json'))
    const key = names.length > 0 ? this.key().name : ''
    for (const name of names) {
      try {
        const record = recordOf(name, readFileSync(join(this.#work, name), 'utf8'), key)
        if (record === undefined) records.broken.push(name)
        else if ('work' in record) records.work.push(record.work)
        else records.notables.push(record.notable)
      } catch (error) {
        // Another process may have deleted it meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') records.broken.push(name)
      }
    }
    return records
  }

  /** Runs `change` on the records as they are now, while no other process changes them, and stores what it puts. */
  async change<Result>(
    change: (records: Records, put: (record: StoredRecord) => void) => Result,
  ): Promise<Result> {
    this.#create(this.#work)
    const lock = { directory: this.directory, key: 'records', timeout_ms: WAIT_MS, hold_ms: LOCK_MS }
    return withLock({ ...lock, holder: 'another change of the records of this clone' }, async () => {
      const result = change(this.read(), (record) => this.#write(record))
      keepNewest(this.#work, { files_max: RECORDS_MAX, bytes_max: BYTES_MAX })
      return result
    })
  }

  /** The random key of the clone, made if there is none, or a damaged one. On a disk that cannot be written it lasts for this process. */
  key(): CloneKey {
    if (this.#key) return this.#key
    const key = this.#storedKey() ?? randomBytes(KEY_BYTES)
    this.#key = { hasher: lineHasher(key), name: hash('sha256', key).slice(0, 8) }
    return this.#key
  }

  #storedKey(): Uint8Array | undefined {
    const file = join(this.directory, 'key')
    try {
      const found = existsSync(file) ? readFileSync(file) : undefined
      if (found?.length === KEY_BYTES) return found
      this.#create(this.directory)
      if (found) rmSync(file, { force: true })
      createWhole(file, randomBytes(KEY_BYTES), { flush: true })
      return readFileSync(file)
    } catch {
      // The digests of others cannot be compared then, but their files can.
      return undefined
    }
  }

  #create(directory: string): void {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // Hooks of a service may have made it for everybody to read.
    if ((statSync(this.directory).mode & 0o077) !== 0) chmodSync(this.directory, 0o700)
  }

  #write(record: StoredRecord): void {
    const [id, value] =
      'work' in record
        ? [
            record.work.activity.id,
            { ...record.work, key: this.key().name, files: record.work.files.map(withEncodedDigest) },
          ]
        : [record.notable.id, record]
    replaceFile(join(this.#work, `${id}.json`), JSON.stringify(value))
  }
}

/** The record of a file, which another version of the command may have written; undefined if it is none. Throws as well. */
function recordOf(name: string, text: string, key_name: string): StoredRecord | undefined {
  const { activity, notable, key, ...value } = JSON.parse(text, revived)
  const row = activity ?? notable
  const isTime = (time: unknown) => time instanceof Date && !Number.isNaN(time.getTime())
  const isWhole =
    name === `${row.id}.json` &&
    typeof row.title === 'string' &&
    [row.created_at, row.updated_at, row.expires_at].every(isTime) &&
    [row.scope.areas, row.scope.paths].every(Array.isArray)
  if (!isWhole) return undefined
  if (notable) return { notable }
  const digested: StoredFile[] = value.files.map(withDigest)
  const files = key === key_name ? digested : digested.map((file) => ({ ...file, digest: null }))
  return { work: { ...NO_WORK, ...value, files, activity: { ...NO_FIELDS, ...activity } } }
}

const NO_WORK = { kind: 'declared', ...UNCLAIMED, had_branch: false }

function revived(key: string, value: unknown): unknown {
  const isTime = typeof value === 'string' && (key.endsWith('_at') || key === 'applies_until')
  return isTime ? new Date(value) : value
}

export function withEncodedDigest({ digest, ...file }: StoredFile) {
  if (digest === null) return { ...file, digest }
  const bytes = digest instanceof Uint8Array ? digest : encodeDigest(digest)
  return { ...file, digest: Buffer.from(bytes).toString('base64') }
}

/** The digest stays bytes: it is decoded when it is compared, and an unknown version of it survives a change of the record. */
export function withDigest(file: Omit<StoredFile, 'digest'> & { digest: string | null }): StoredFile {
  return { ...file, digest: file.digest === null ? null : Buffer.from(file.digest, 'base64') }
}
