/** One at a time among processes. The lock is the operating system's, so it ends with its owner, however that ends. */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stopwatch } from '../../base/clock.ts'

const ASK_MS = 40

/** Runs `work` while nobody else holds `key` in `directory`, which is made where it is missing. Throws after `patience_ms`. */
export async function holding<Result>(
  { directory, key, patience_ms }: { directory: string; key: string; patience_ms: number },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(directory, { recursive: true })
  const file = await open(join(directory, `lock-${shardOf(key)}`), 'a', 0o600)
  try {
    await take(file, patience_ms)
    return await work()
  } finally {
    await file.close()
  }
}

/** A file cannot be deleted while others wait for it, so there are few, which some keys share. */
function shardOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 1)
}

async function take(file: FileHandle, patience_ms: number): Promise<void> {
  const elapsed = stopwatch()
  while (!(await isTaken(file))) {
    if (elapsed() > patience_ms) throw new Error('another hook of this session is still running')
    await wait(ASK_MS)
  }
}

/** Also where no lock is to be had, as on some file systems: two hooks at once are better than none. */
async function isTaken(file: FileHandle): Promise<boolean> {
  try {
    const { tryLock } = await import('fs-native-extensions')
    return tryLock(file.fd)
  } catch {
    return true
  }
}
