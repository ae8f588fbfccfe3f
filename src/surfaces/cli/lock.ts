/** One at a time among processes: a directory that can be made once. */
import { createHash } from 'node:crypto'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const ASK_MS = 40
/** Whoever holds it for longer, about ten seconds, has died. */
const TAKEN_OVER_AFTER = 250
const ATTEMPTS_MAX = 300

/** Runs `work` while nobody else holds `key`; a lock that is held for ten seconds is taken over. */
export async function holding<Result>(
  directory: string,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 20)
  const lock = join(directory, `${name}.lock`)
  await mkdir(directory, { recursive: true })
  for (let attempt = 1; !(await isMade(lock)); attempt += 1) {
    if (attempt === TAKEN_OVER_AFTER) await rmdir(lock).catch(() => {})
    if (attempt === ATTEMPTS_MAX) throw new Error('another hook of this session does not end')
    await wait(ASK_MS)
  }
  try {
    return await work()
  } finally {
    await rmdir(lock).catch(() => {})
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
