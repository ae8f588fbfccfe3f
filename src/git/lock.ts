/** A lock between processes: a file that names its owner, and that others delete when that process has ended. */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { stopwatch, systemClock } from '../vocabulary/clock.ts'

const POLL_MS = 15
/** How much longer the owner may hold the lock than others wait for it. */
const GRACE_MS = 2000

/** Another process held the lock for too long. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout'

  /** Each bundle of the command has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as Error | undefined)?.name === 'LockTimeout'
  }
}

interface LockOptions {
  /** Created if missing. */
  directory: string
  key: string
  /** The maximum time to wait for the lock. */
  timeout_ms: number
  /** After this time, others take it from a process that they cannot see. */
  hold_ms?: number
  /** What holds it, for the message. */
  holder?: string
}

/** Runs `work` while no other process holds `key` in `directory`. Throws `LockTimeout` after `timeout_ms`. */
export async function withLock<Result>(options: LockOptions, work: () => Promise<Result>): Promise<Result> {
  const { directory, key, timeout_ms, hold_ms = timeout_ms + GRACE_MS } = options
  const { holder = 'another hook of this session' } = options
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `lock-${shortHash(key)}`)
  const elapsed = stopwatch()
  let owner = tryAcquire(file, hold_ms)
  while (owner === undefined) {
    if (elapsed() > timeout_ms) throw new LockTimeout(`${holder} is still running`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    owner = tryAcquire(file, hold_ms)
  }
  try {
    return await work()
  } finally {
    if (readOwner(file) === owner) rmSync(file, { force: true })
  }
}

/** Returns what it wrote to the file; undefined if another process holds the lock. */
function tryAcquire(file: string, hold_ms: number): string | undefined {
  const own = `${process.pid} ${systemClock().getTime() + hold_ms} ${hostname()}`
  const owner = readOwner(file)
  if (owner === undefined) return createWhole(file, own) ? own : undefined
  if (hasEnded(file, owner)) breakLock(file, own)
  return undefined
}

/** Creates a file unless there is one. Nobody finds it empty, even if this process is killed; with `flush`, if power fails. */
export function createWhole(file: string, content: string | Uint8Array, { flush = false } = {}): boolean {
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, content, { mode: 0o600, flush })
    try {
      linkSync(temporary, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
      // Some file systems have no links.
      writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** The content of the file; undefined if there is none. */
function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function hasEnded(file: string, owner: string): boolean {
  const [pid, until, host] = owner.split(' ')
  // The file may still be empty, because its owner is about to write to it.
  const written_at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  const end = until === undefined ? written_at + GRACE_MS : Number(until)
  // A process of another machine or container is not visible here, and process ids are reused.
  return systemClock().getTime() > end || (host === hostname() && !isRunning(Number(pid)))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Deletes the lock of a process that has ended. Only one process does so at a time, or it could delete that of the next owner. */
function breakLock(file: string, own: string): void {
  const breaking = `${file}-break`
  if (!createWhole(breaking, own)) {
    const other = readOwner(breaking)
    if (other !== undefined && hasEnded(breaking, other)) rmSync(breaking, { force: true })
    return
  }
  const owner = readOwner(file)
  if (owner !== undefined && hasEnded(file, owner)) rmSync(file, { force: true })
  rmSync(breaking, { force: true })
}

/** FNV-1a: loading a cryptographic hash takes longer than a hook without requests may. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193)
  return (hash >>> 0).toString(16)
}
