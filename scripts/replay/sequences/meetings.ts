/** Plays a history by shared numbers and parents alone: all pairs of heads that add to one directory. Pure. */

import { rulesOf } from '../../../src/engine/check/compare.ts'
import { sharedTaken, takenPlaces } from '../../../src/engine/lines/taken.ts'
import { DEFAULT_SETTINGS } from '../../../src/vocabulary/contract/settings.ts'
import { directoryOf } from '../../../src/vocabulary/file-number.ts'
import type { TakenFinding } from '../../../src/vocabulary/finding-kinds.ts'
import type { Branch } from '../commits.ts'
import { type Changed, eventsOf, type Head, isStacked, LIVE_S } from '../heads.ts'
import { isRebasedOver } from '../pull-requests.ts'

/** A pull request by one of its heads. */
export interface Held {
  pr: Changed
  revision: Changed['revisions'][number]
}

/** Two heads that were live at the same time and add files to the same directory, or below the same root of Alembic. */
export interface Meeting {
  one: Held
  other: Held
  /** What both take by the rule of the service. `yours` is `one`. */
  sequence: TakenFinding[]
}

export interface Met {
  /** The meetings of each pair, in the order of events. */
  pairs: Meeting[][]
  /** Pull requests that take a number or a parent by one of their heads. */
  taking: Set<Changed>
}

/** Alembic reads all directories below this one. */
const ALEMBIC_ROOT = /^(?:.*\/)?versions(?=\/|$)/

/** The directories in which a file can take a number, or a parent. */
export function rootsOf(path: string): string[] {
  const directory = directoryOf(path)
  const [root] = path.endsWith('.py') ? (ALEMBIC_ROOT.exec(directory) ?? []) : []
  return root === undefined || root === directory ? [directory] : [directory, root]
}

export function meet(
  changed: readonly Changed[],
  { branches, since }: { branches: readonly Branch[]; since: number },
): Met {
  const { numbers } = rulesOf(DEFAULT_SETTINGS, [])
  const live = new Map<Changed, Held['revision']>()
  const meetings = new Map<string, Map<string, Meeting>>()
  for (const { at, pr, revision } of eventsOf(changed)) {
    live.delete(pr)
    if (revision === null) continue
    const mine = { pr, revision }
    for (const [other, its] of at < since ? [] : live) {
      const theirs = { pr: other, revision: its }
      if (!canMeet(mine, theirs, branches[pr.branch] as Branch)) continue
      const sides = { yours: revision.changes, theirs: its.changes, numbers }
      const sequence = [...sharedTaken('number', sides), ...sharedTaken('parent', sides)]
      const pair = [pr.n, other.n].toSorted((a, b) => a - b).join()
      const heads = [revision.head, its.head].toSorted((a, b) => a - b).join()
      const known = meetings.get(pair) ?? new Map<string, Meeting>()
      meetings.set(pair, known)
      if (!known.has(heads)) known.set(heads, { one: mine, other: theirs, sequence })
    }
    live.set(pr, revision)
  }
  const taking = changed.filter(({ revisions }) =>
    revisions.some(({ changes }) => takenPlaces(changes.files, numbers).length > 0),
  )
  return { pairs: [...meetings.values()].map((pair) => [...pair.values()]), taking: new Set(taking) }
}

/** For one branch, neither stacked nor rebased over the other's merge, both pushed lately, with files added below one root. */
function canMeet(one: Held, other: Held, branch: Branch): boolean {
  if (one.pr.branch !== other.pr.branch || isStacked(one.pr, other.pr)) return false
  if (isRebasedOver(one.revision, other.pr, branch) || isRebasedOver(other.revision, one.pr, branch))
    return false
  const apart = Math.abs(one.revision.at - other.revision.at)
  if (apart > LIVE_S) return false
  const roots = addedRoots(one.revision.changes)
  return addedRoots(other.revision.changes).some((root) => roots.includes(root))
}

function addedRoots({ files }: Head): string[] {
  const added = files.filter(({ status }) => status === 'added' || status === 'renamed')
  return added.flatMap(({ path }) => rootsOf(path))
}
