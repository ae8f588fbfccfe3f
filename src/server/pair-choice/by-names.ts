/** Why two pull requests may break together, by the names that one takes away and the other uses (docs/contract/proofs.md#names). */
import { listScopesOf, type SidedActivity } from '../activities/live-store.ts'
import { addTo } from '../base/lists.ts'
import { NAMES_MAX } from '../changed-names/changed-names.ts'
import { matchNames } from '../changed-names/match.ts'
import { type FoundName, listChangedNames, listNamesWith } from '../changed-names/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import type { Reason } from './choose.ts'

/** The maximum number of activities whose files are read. */
const ACTIVITIES_MAX = 200

export interface FoundByNames {
  reasons: Reason[]
  /** False if the pull request has more names than are stored. */
  is_complete: boolean
}

/** `own`: the activities of the pull request; `excluded`: those with which nothing is proved. */
export async function reasonsByNames(
  { db, repo }: RepoContext,
  own: readonly SidedActivity[],
  excluded: ReadonlySet<string>,
): Promise<FoundByNames> {
  const ids = own.map(({ id }) => id)
  const names = await listChangedNames(db, repo.id, ids)
  const keysOf = (isUsed: boolean) => [
    ...new Set(names.filter(({ kind }) => (kind === 'used') === isUsed).map(({ key }) => key)),
  ]
  const found = [
    ...(await listNamesWith(db, repo.id, { role: 'used', keys: keysOf(false) })),
    ...(await listNamesWith(db, repo.id, { role: 'taken', keys: keysOf(true) })),
  ].filter(({ activity_id }) => !excluded.has(activity_id))
  const matches = matchNames(names, found)
  const others = [...new Set(matches.map(({ theirs }) => theirs.activity_id))].sort().reverse()
  const rows = others.length === 0 ? [] : await listScopesOf(db, repo.id, others.slice(0, ACTIVITIES_MAX))
  const byId = new Map([...own, ...rows].map((row) => [row.id, row]))
  const pathOf = ({ activity_id, position }: FoundName) =>
    byId.get(activity_id)?.pushed_files?.[position]?.path ?? []
  const reasons = matches.flatMap(({ reason, own: mine, theirs }): Reason[] => {
    const number = byId.get(theirs.activity_id)?.pr_number ?? null
    return number === null ? [] : [{ number, reason, paths: [mine, theirs].flatMap(pathOf) }]
  })
  return { reasons: joined(reasons), is_complete: ids.every((id) => countOf(names, id) < NAMES_MAX) }
}

function countOf(names: readonly FoundName[], id: string): number {
  return names.filter(({ activity_id }) => activity_id === id).length
}

/** One reason of each kind for each pull request. */
function joined(reasons: readonly Reason[]): Reason[] {
  const groups = new Map<string, Reason[]>()
  for (const each of reasons) addTo(groups, `${each.number} ${each.reason}`, each)
  return [...groups.values()].map((group) => ({
    ...(group[0] as Reason),
    paths: [...new Set(group.flatMap(({ paths }) => paths))],
  }))
}
