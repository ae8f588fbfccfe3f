/** Reads the settings of a repository again, in case a push was missed. */
import { isDeepStrictEqual } from 'node:util'
import { SETTINGS_PATHS } from '../../../vocabulary/contract/settings.ts'
import { statusOf } from '../../github/client.ts'
import { isNotFound, isWithoutPermission, named, type Reader } from '../../github/repository-calls.ts'
import type { App } from './app.ts'
import type { ConditionalReads } from './reading.ts'
import { findRepository, type RepositoryRow } from './store.ts'
import { type NamedRepository, refreshSettings, settingsIn } from './stored-settings.ts'

/** Reads the settings of the default branch again, after its root directory, which costs no quota if nothing changed. */
export async function reviseSettings(
  app: App,
  client: Reader,
  { repository, reads }: { repository: NamedRepository; reads: ConditionalReads },
): Promise<void> {
  const before = await findRepository(app.database.connection(), repository.id)
  if (await isStillSame(client, repository, { reads, before })) return
  await refreshSettings(app, client, repository)
}

/** What the root directory shows of the files that configure a repository. */
const ROOTS = SETTINGS_PATHS.map((path) => path.split('/')[0])

/**
 * Whether the default branch certainly has the files that it had when they were last read again: the list of the root directory has a hash
 * of each file, and of all in a directory. A file that does not exist has no ETag. One call.
 */
async function isStillSame(
  client: Reader,
  repository: NamedRepository,
  { reads, before }: { reads: ConditionalReads; before: RepositoryRow | undefined },
): Promise<boolean> {
  const options = { ...named(repository), tree_sha: 'HEAD' }
  try {
    const root = await reads.read('tree', (headers) => client.rest.git.getTree({ ...options, headers }))
    if (root === undefined) return true
    const hashes = root.tree.flatMap(({ path, sha }) => (ROOTS.includes(path) ? `${path} ${sha}` : []))
    return reads.isNoted('settings', hashes.join()) || (hashes.length === 0 && hasNone(before))
  } catch (error) {
    // An empty repository has no tree: 409.
    if (isNotFound(error) || statusOf(error) === 409) return hasNone(before)
    if (isWithoutPermission(error)) return true
    throw error
  }
}

function hasNone(row: RepositoryRow | undefined): boolean {
  return isDeepStrictEqual(settingsIn(row), [null, [], null, null])
}
