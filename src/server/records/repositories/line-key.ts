/** The secret key with which the lines of a repository are hashed. It is deleted with the repository's data. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES, type LineHasher, lineHasher } from '../../../engine/lines/line-hash.ts'
import type { RepoContext } from './repo.ts'
import { findRepository, setLineKey } from './store.ts'

/** Hashes lines with the key of the repository, which the first call stores. */
export async function readLineHasher({ db, repo }: Pick<RepoContext, 'db' | 'repo'>): Promise<LineHasher> {
  const stored = await findRepository(db, repo.id)
  return lineHasher(stored?.line_key ?? (await setLineKey(db, repo.id, randomBytes(KEY_BYTES))))
}

/** The same for a reader, who stores nothing. Without a key nothing is stored that lines could be compared with. */
export async function findLineHasher({ db, repo }: Pick<RepoContext, 'db' | 'repo'>): Promise<LineHasher> {
  const stored = await findRepository(db, repo.id)
  return lineHasher(stored?.line_key ?? randomBytes(KEY_BYTES))
}
