/** Keeps a second process off the embedded database: two on one directory lose each other's data without a word. */
import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/** The directory belongs to another running process, or holds no database that can be opened. The message is one line for the operator. */
export class DirectoryError extends Error {}

/**
 * Locks the directory, made where it is missing and closed to other users. The lock is the operating system's:
 * it goes with the process, however that ends. Answers the function that gives it back. Throws `DirectoryError`.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await make(resolve(directory))
  await chmod(directory, 0o700)
  const file = await open(resolve(directory, 'lock'), 'a', 0o600)
  if (!tryLock(file.fd)) {
    await file.close()
    throw new DirectoryError(
      `another process has the embedded database in ${resolve(directory)}; stop it, set DATA_DIR to another directory, or set DATABASE_URL to share one database`,
    )
  }
  return () => file.close()
}

/** Step by step: Node's own way never comes to an end where a directory takes no entries, such as /proc. */
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
