/** Inserts live activities, up to the limit of the repository. */
import { enqueueRechecks } from '../announcements/announcements.ts'
import type { Batch } from '../db/batch.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import { insertIfRoom } from '../repositories/live-limit.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import { expireActivities, listExpiredActivities } from './sweep-store.ts'
import type { ActivityRow } from './table.ts'

/** Inserts a live activity; undefined when the repository is at its limit. */
export function insertLive(
  ctx: RepoContext,
  row: store.NewActivity,
  changes: readonly FileChange[] = [],
): Promise<ActivityRow | undefined> {
  const kind = {
    counted: 'act',
    max: ctx.repo.max_live.activities,
    expire: async (within: RepoContext, batch: Batch<string>) => {
      const { db, repo, now } = within
      const due = await listExpiredActivities(db, repo.id, now, batch)
      await enqueueRechecks(within, await expireActivities(db, repo.id, now, due))
    },
  } as const
  return insertIfRoom(ctx, kind, ({ db }) => store.insertActivity(db, row, changes))
}
