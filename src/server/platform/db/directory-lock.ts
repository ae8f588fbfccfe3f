/** Locks the directory of the embedded database. Two processes on one directory would silently overwrite each other's data. */
import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/** Another process uses the directory, or its database cannot be opened. The message is one line for the operator. */
export class DirectoryError extends Error {}

/**
 * Locks the directory, creates it if it is missing, and makes it inaccessible to other users. The operating system releases
 * the lock when the process ends, for whatever reason. Returns a function that releases it. Throws `DirectoryError`.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await make(resolve(directory))
  await chmod(directory, 0o700)
  const file = await open(resolve(directory, 'lock'), 'a', 0o600)
  if (!tryLock(file.fd)) {
    await file.close()
    throw new DirectoryError(
      `another process is using the embedded database in ${resolve(directory)}; stop it, set DATA_DIR to another directory, or set DATABASE_URL to share one database`,
    )
  }
  return () => file.close()
}

/** Creates a directory and its parents. Node's recursive `mkdir` never returns in a directory like /proc, which accepts no entries. */
async function make(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(directory) === directory) throw error
    await make(dirname(directory))
    await mkdir(directory, { mode: 0o700 })
  }
}
