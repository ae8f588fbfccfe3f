/** Keeps a second process off the embedded database: two on one directory lose each other's data without a word. */
import { chmod, mkdir, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/** The directory belongs to another running process. The message is one line for the operator. */
export class DirectoryInUseError extends Error {}

/**
 * Locks the directory, made where it is missing and closed to other users. The lock is the operating system's:
 * it goes with the process, however that ends. Answers the function that gives it back. Throws `DirectoryInUseError`.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const file = await open(resolve(directory, 'lock'), 'a', 0o600)
  if (!tryLock(file.fd)) {
    await file.close()
    throw new DirectoryInUseError(
      `another process has the embedded database in ${resolve(directory)}; stop it, set DATA_DIR to another directory, or set DATABASE_URL to share one database`,
    )
  }
  return () => file.close()
}
