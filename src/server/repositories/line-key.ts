/** The secret key with which the lines of a repository are hashed. It is deleted with the repository's data. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES, type LineHasher, lineHasher } from '../line-verdicts/line-hash.ts'
import type { RepoContext } from './repo.ts'
import { findRepository, setLineKey } from './store.ts'

/**
 * Hashes lines with the key of the repository, which the first call generates. A repository of which nothing is stored
 * gets a key for this call only.
 */
export async function readLineHasher({ db, repo }: Pick<RepoContext, 'db' | 'repo'>): Promise<LineHasher> {
  const stored = await findRepository(db, repo.id)
  return lineHasher(stored?.line_key ?? (await setLineKey(db, repo.id, randomBytes(KEY_BYTES))))
}
