/** A lock between processes: a file that names its owner, and that others delete when that process has ended. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { stopwatch, systemClock } from '../vocabulary/clock.ts'

const POLL_MS = 15
/** How much longer the owner may hold the lock than it announced. */
const GRACE_MS = 2000

/** Another process held the lock for too long. */
export class LockTimeout extends Error {}

interface LockOptions {
  /** Created if missing. */
  directory: string
  key: string
  /** The maximum time to wait for the lock, and to hold it. */
  timeout_ms: number
}

/** Runs `work` while no other process holds `key` in `directory`. Throws `LockTimeout` after `timeout_ms`. */
export async function withLock<Result>(
  { directory, key, timeout_ms }: LockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `lock-${shortHash(key)}`)
  const elapsed = stopwatch()
  let owner = tryAcquire(file, timeout_ms)
  while (owner === undefined) {
    if (elapsed() > timeout_ms) throw new LockTimeout('another hook of this session is still running')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    owner = tryAcquire(file, timeout_ms)
  }
  try {
    return await work()
  } finally {
    if (readOwner(file) === owner) rmSync(file, { force: true })
  }
}

/** Returns what it wrote to the file; undefined if another process holds the lock. */
function tryAcquire(file: string, hold_ms: number): string | undefined {
  const until = systemClock().getTime() + hold_ms + GRACE_MS
  const own = `${process.pid} ${until} ${hostname()}`
  try {
    writeFileSync(file, own, { flag: 'wx', mode: 0o600 })
    return own
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const owner = readOwner(file)
  if (owner !== undefined && hasEnded(file, owner)) breakLock(file, owner)
  return undefined
}

/** The content of the file; undefined if the lock was released in the meantime. */
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

/** Deletes the lock of a process that has ended. Only one process can rename the file. If it has a new owner by then, it is put back. */
function breakLock(file: string, owner: string): void {
  const broken = `${file}-${process.pid}`
  try {
    renameSync(file, broken)
  } catch {
    return
  }
  if (readOwner(broken) === owner) rmSync(broken, { force: true })
  else renameSync(broken, file)
}

/** FNV-1a: loading a cryptographic hash takes longer than a hook without requests may. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193)
  return (hash >>> 0).toString(16)
}
