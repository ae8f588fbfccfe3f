/** A lock between processes. The operating system releases it when its owner ends, even if that is killed. */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stopwatch } from '../../base/clock.ts'
import { shortHash } from './local-state.ts'

const POLL_MS = 15

/** Another process held the lock for too long. */
export class LockTimeout extends Error {}

/** Runs `work` while no other process holds `key` in `directory`, which is created if missing. Throws `LockTimeout` after `timeout_ms`. */
export async function withLock<Result>(
  { directory, key, timeout_ms }: { directory: string; key: string; timeout_ms: number },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(directory, { recursive: true })
  const file = await open(join(directory, `lock-${shardOf(key)}`), 'a', 0o600)
  try {
    await acquire(file, timeout_ms)
    return await work()
  } finally {
    await file.close()
  }
}

/** A lock file cannot be deleted while others wait for it, so keys share sixteen files. */
function shardOf(key: string): string {
  return shortHash(key).slice(-1)
}

async function acquire(file: FileHandle, timeout_ms: number): Promise<void> {
  const elapsed = stopwatch()
  while (!(await tryAcquire(file))) {
    if (elapsed() > timeout_ms) throw new LockTimeout('another hook of this session is still running')
    await wait(POLL_MS)
  }
}

/** Also true on file systems without locks: two concurrent hooks are better than none. */
async function tryAcquire(file: FileHandle): Promise<boolean> {
  try {
    const { tryLock } = await import('fs-native-extensions')
    return tryLock(file.fd)
  } catch {
    return true
  }
}
