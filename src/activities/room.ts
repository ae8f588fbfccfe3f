/** Keeps the live activities of a repository to as many as it may have (contract §4). */
import { insertIfRoom } from '../context/live-limit.ts'
import type { RepoContext } from '../context/repo.ts'
import * as store from './store.ts'
import { expireActivities, listExpiredActivities } from './sweep-store.ts'
import type { ActivityRow } from './table.ts'

/** Expiries that are stored at a time when room is needed. */
const EXPIRED_MAX = 500

/** Stores a live activity; undefined when there is no room for another one. */
export function insertLive(ctx: RepoContext, row: store.NewActivity): Promise<ActivityRow | undefined> {
  const kind = {
    counted: 'act',
    max: ctx.max_live.activities,
    expire: async ({ db, repo, now }: RepoContext) => {
      const batch = { limit: EXPIRED_MAX, except: [] }
      return expireActivities(db, repo.id, now, await listExpiredActivities(db, repo.id, now, batch))
    },
  } as const
  return insertIfRoom(ctx, kind, ({ db }) => store.insertActivity(db, row))
}
