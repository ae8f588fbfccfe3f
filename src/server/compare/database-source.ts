/** The records of a repository in the database, as a check asks for them. */
import type { CheckContext } from '../../engine/check/source.ts'
import { listCompared, listMerged, listScopes, listScopesOf } from '../records/activities/live-store.ts'
import { findDoneBy } from '../records/merged-work/merged-work.ts'
import { listNotablesWith } from '../records/notables/store.ts'
import { findLineHasher } from '../records/repositories/line-key.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { listReserved } from '../records/reservations/store.ts'
import { liveSetOf } from './live-set.ts'
import { readAllFiles, readFilesOf } from './side-files.ts'

/** Not inside a transaction, see `liveSetOf`. */
export function inDatabase(ctx: RepoContext): RepoContext & CheckContext {
  const { db, now } = ctx
  const { id } = ctx.repo
  return {
    ...ctx,
    source: {
      liveSet: () => liveSetOf(ctx),
      activities: (ids) => listCompared(db, id, ids),
      sided: (ids) => listScopesOf(db, id, ids),
      onBranch: (branch, limit) => listScopes(db, id, { now, branch, limit }),
      notables: (ids) => listNotablesWith(db, id, ids),
      merged: (page) => listMerged(db, id, page),
      files: (sides, names) => readFilesOf(ctx, sides, names),
      allFiles: (sides) => readAllFiles(ctx, sides),
      hasher: () => findLineHasher(ctx),
      reserved: (directory) => listReserved(db, id, directory, now),
      baseDirectory: (directory) => ctx.caller.listDirectory(directory),
      doneBy: (lines, work) => findDoneBy(ctx, lines, work),
    },
  }
}
