/** Reads the settings of a repository again, in case a push was missed. */
import { dirname } from 'node:path/posix'
import { isDeepStrictEqual } from 'node:util'
import { SETTINGS_PATH } from '../../../vocabulary/contract/settings.ts'
import { statusOf } from '../../github/client.ts'
import { isNotFound, isWithoutPermission, named, type Reader } from '../../github/repository-calls.ts'
import type { App } from './app.ts'
import type { ConditionalReads } from './reading.ts'
import { findRepository, type RepositoryRow } from './store.ts'
import { type NamedRepository, refreshSettings } from './stored-settings.ts'

/**
 * Reads the settings of the default branch again, like `refreshSettings`. Returns whether they say something else than before.
 * `reads`: asks with ETags first, which costs no quota if nothing changed.
 */
export async function reviseSettings(
  app: App,
  client: Reader,
  { repository, reads }: { repository: NamedRepository; reads?: ConditionalReads },
): Promise<boolean> {
  const before = await findRepository(app.database.connection(), repository.id)
  if (reads && (await isStillSame(client, repository, { reads, before }))) return false
  const after = await refreshSettings(app, client, repository)
  return after !== undefined && !isDeepStrictEqual(settingsIn(before), settingsIn(after))
}

/**
 * Whether the default branch certainly has the settings file that it had. A file that does not exist has no ETag, and asking for
 * it costs a call each time; the list of the root directory has one. One or two calls.
 */
async function isStillSame(
  client: Reader,
  repository: NamedRepository,
  { reads, before }: { reads: ConditionalReads; before: RepositoryRow | undefined },
): Promise<boolean> {
  const asked = named(repository)
  const hadNone = !before?.settings && !before?.settings_errors.length
  try {
    if (hadNone) {
      const options = { ...asked, tree_sha: 'HEAD' }
      const root = await reads.read('tree', (headers) => client.rest.git.getTree({ ...options, headers }))
      if (!root?.tree.some(({ path }) => path === dirname(SETTINGS_PATH))) return true
    }
    const options = { ...asked, path: SETTINGS_PATH }
    return (
      (await reads.read('settings', (headers) => client.rest.repos.getContent({ ...options, headers }))) ===
      undefined
    )
  } catch (error) {
    // An empty repository has no tree: 409.
    if (isNotFound(error) || statusOf(error) === 409) return hadNone
    if (isWithoutPermission(error)) return true
    throw error
  }
}

/** What the settings files say. */
function settingsIn(row: RepositoryRow | undefined) {
  return [row?.settings, row?.settings_errors, row?.labeler_areas, row?.noise_attributes]
}
