/** Chooses the pairs of a pull request that are worth a run: git merges them, and they may still break together. */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { ChoosePairs, ProofChoice } from '../../vocabulary/contract/proof.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { comparedScopeOf } from '../activities/compared-scope.ts'
import { listScopesOf, type SidedActivity } from '../activities/live-store.ts'
import { listLiveOf, listLivePullRequests } from '../activities/pull-request-store.ts'
import { addTo } from '../base/lists.ts'
import { isStorable, prefixOf } from '../claims-index/claim.ts'
import { listFilesBeneath } from '../claims-index/store.ts'
import { listFilesOfPairs } from '../ledger/counts-store.ts'
import { type ChangedFile, namesOf } from '../line-verdicts/change.ts'
import { checkActivities } from '../overlap/check.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import { listDecided } from '../proofs/store.ts'
import { listHeads } from '../pull-requests/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { reasonsByNames } from './by-names.ts'
import { choosePairs, type Reason } from './choose.ts'
import { addedDirectories, companionsOf, removedDirectories, removedUnder } from './reasons.ts'

/** The period of the ledger in which files that conflict together are counted. */
const HISTORY_MS = 90 * DAY_MS
/** The maximum number of places that are looked up, and of files of other work that are read there. */
const PLACES_MAX = 1_000
const FILES_READ_MAX = 2_000
/** The maximum number of activities whose files are read. */
const ACTIVITIES_MAX = 200

export async function choosePairsOf(ctx: RepoContext, { pull_request }: ChoosePairs): Promise<ProofChoice> {
  const { db, now, repo } = ctx
  const [own] = repo.is_tracked ? await listHeads(db, repo.id, [pull_request]) : []
  if (!own)
    throw new Failure(
      'validation_error',
      `pull_request: #${pull_request} is not known as an open pull request here; ask about open pull requests of a repository where the GitHub App is installed`,
      { param: 'pull_request' },
    )
  const { number, head_sha: head, base_branch } = own
  const activities = await listLiveOf(db, repo.id, pull_request, now)
  if (activities.length === 0) return { pull_request, head, base_branch, items: [], complete: false }
  const conclusion = await checkActivities(ctx, activities)
  const excluded = excludedIds(conclusion, activities)
  const others = await readOthers(ctx, filesOf(activities), excluded)
  const byNames = await reasonsByNames(ctx, activities, excluded)
  const reasons = [
    ...byNames.reasons,
    ...reasonsByLines(conclusion),
    ...reasonsByPaths(filesOf(activities), others),
  ]
  const merged = reasons.filter((each) => !conflicting(conclusion).has(each.number) && each.number !== number)
  const numbers = [...new Set(merged.map((each) => each.number))]
  const heads = await listHeads(db, repo.id, numbers)
  // Work that expired is not compared by lines, so nothing is known of whether git merges it.
  const live = await listLivePullRequests(db, repo.id, { numbers, now })
  const decided = new Set(
    (await listDecided(db, repo.id, number)).map((row) =>
      row.first === number ? `${row.first_head} ${row.second_head}` : `${row.second_head} ${row.first_head}`,
    ),
  )
  const open = heads.filter(
    (each) =>
      live.has(each.number) &&
      each.base_branch === base_branch &&
      !decided.has(`${head} ${each.head_sha}`) &&
      // GitHub runs the workflows of a newcomer only when a member approves. Those of others must not run such code unasked.
      (!each.is_by_newcomer || own.is_by_newcomer),
  )
  return {
    pull_request,
    head,
    base_branch,
    items: choosePairs(own, open, merged),
    complete: byNames.is_complete && activities.every(({ changes_complete }) => changes_complete),
  }
}

/** The activities with which nothing is proved: own and stacked ones, and work for another base branch. */
function excludedIds({ expected, other_base }: Conclusion, own: readonly { id: string }[]): Set<string> {
  return new Set([...expected.keys(), ...other_base, ...own.map(({ id }) => id)])
}

/** The pull requests that git cannot merge with this one. */
function conflicting({ collisions }: Conclusion): Set<number> {
  return new Set(
    collisions.flatMap(({ match, record }) => (match.lines === 'conflict' ? (record.pr_number ?? []) : [])),
  )
}

function reasonsByLines({ collisions }: Conclusion): Reason[] {
  return collisions.flatMap(({ match: { lines, paths }, record: { pr_number } }) => {
    if (pr_number === null || (lines !== 'touching' && lines !== 'near')) return []
    const close = paths.filter(({ verdict }) => verdict === lines).map(({ example }) => example)
    return [{ number: pr_number, reason: lines, paths: close }]
  })
}

function filesOf(rows: readonly SidedActivity[]): ChangedFile[] {
  return rows.flatMap((row) => comparedScopeOf(row).files)
}

interface Others {
  /** The files of each pull request that changes something near, by its number. */
  files: ReadonlyMap<number, readonly ChangedFile[]>
  /** The files that often conflict together with those of the pull request. */
  companions: ReadonlySet<string>
}

/** Reads the changed files of pull requests that change these files, companions of them, or something in a directory that is removed or added to. */
async function readOthers(
  { db, now, repo }: RepoContext,
  files: readonly ChangedFile[],
  excluded: ReadonlySet<string>,
): Promise<Others> {
  const names = new Set(files.flatMap(namesOf))
  const companions = companionsOf(names, await listFilesOfPairs(db, repo.id, later(now, -HISTORY_MS)))
  const places = [
    ...new Set([...removedDirectories(files), ...addedDirectories(files), ...companions, ...names]),
  ]
  const prefixes = places.map(prefixOf).filter(isStorable).slice(0, PLACES_MAX)
  const found = await listFilesBeneath(db, repo.id, { prefixes, limit: FILES_READ_MAX })
  const ids = [...new Set(found.map(({ record_id }) => record_id))].filter((id) => !excluded.has(id))
  const newest = ids.sort().reverse().slice(0, ACTIVITIES_MAX)
  const byNumber = new Map<number, ChangedFile[]>()
  for (const row of newest.length === 0 ? [] : await listScopesOf(db, repo.id, newest))
    if (row.pr_number !== null) for (const file of filesOf([row])) addTo(byNumber, row.pr_number, file)
  return { files: byNumber, companions }
}

function reasonsByPaths(own: readonly ChangedFile[], { files, companions }: Others): Reason[] {
  return [...files].flatMap(([number, theirs]): Reason[] => {
    const removed = [...removedUnder(own, theirs), ...removedUnder(theirs, own)]
    const together = theirs.filter(({ path }) => companions.has(path)).map(({ path }) => path)
    return [
      ...(removed.length > 0 ? [{ number, reason: 'path_removed' as const, paths: removed }] : []),
      ...(together.length > 0 ? [{ number, reason: 'changed_together' as const, paths: together }] : []),
    ]
  })
}
