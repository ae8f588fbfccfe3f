/** Inserts live activities, up to the limit of the repository. */

import type { FileChange } from '../../../engine/lines/change.ts'
import { enqueueRechecks } from '../changes/changes.ts'
import { insertIfRoom } from '../repositories/live-limit.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import { expireActivities } from './sweep-store.ts'
import type { ActivityRow } from './table.ts'

/** Inserts a live activity in the transaction of `within`; undefined when the repository is at its limit. */
export function insertLive(
  within: RepoContext,
  row: store.NewActivity,
  changes: readonly FileChange[] = [],
): Promise<ActivityRow | undefined> {
  const kind = {
    counted: 'activities',
    max: within.repo.max_live.activities,
    expire: async () => {
      const { db, repo, now } = within
      await enqueueRechecks(within, await expireActivities(db, repo.id, now))
    },
  } as const
  return insertIfRoom(within, kind, (version) => store.insertActivity(within.db, { row, changes }, version))
}
