/** Plays a history by merged lines: which pull requests the service tells that their work is done already. Pure. */

import {
  KEPT_FOR_MS,
  MergedLines,
  NEW_LINES_MAX,
  type NewLines,
  newLinesOf,
} from '../../../src/engine/lines/added-lines.ts'
import type { NoiseRules } from '../../../src/engine/lines/noise.ts'
import { atOnce } from '../../../test/support/steps.ts'
import { type Changed, eventsOf, type Head } from '../heads.ts'

const KEPT_FOR = KEPT_FOR_MS / 1000

/** The first merged pull request that has the work of another, and when that is told. */
export interface Told {
  pr: Changed
  by: Changed
  /** In seconds. */
  at: number
  shared: number
  lines: number
  /** The last head is told the same. */
  is_told_at_end: boolean
}

interface Rules {
  noise: NoiseRules
  /** Pull requests that ended before are not told. */
  since: number
  /** The work is made again or taken back. */
  isAgain: (pr: Changed) => boolean
  /** The work is on top of the merged pull request in a stack. */
  isOnTop: (pr: Changed, merged: Changed) => boolean
  /** GitHub says of the pull request that it is merged. */
  isMerged: (pr: Changed) => boolean
  reverted: readonly Reverted[]
}

/** A commit takes a pull request back. */
export interface Reverted {
  at: number
  branch: number
  number: number
}

interface Merged {
  pr: Changed
  at: number
  lines: Set<number>
}

export function tellDone(changed: readonly Changed[], rules: Rules) {
  const { noise, since, isAgain, isOnTop, isMerged, reverted } = rules
  const known = new Map<Head, NewLines>()
  const linesOf = (head: Head): NewLines => {
    const lines = known.get(head) ?? atOnce(newLinesOf(head.files, noise))
    known.set(head, lines)
    return lines
  }
  const told = new Map<Changed, Told>()
  const merged: Merged[] = []
  const byLine = new MergedLines<Merged>()
  const open = new Map<Changed, Head>()

  const findDone = (pr: Changed, head: Head, at: number) => {
    const { added, is_complete } = linesOf(head)
    if (isAgain(pr) || !is_complete || added.length > NEW_LINES_MAX) return undefined
    const [found] = byLine
      .having(added, (other) => at - other.at <= KEPT_FOR)
      .filter(({ merged: { pr: other } }) => other.branch === pr.branch && other !== pr)
      .filter(({ merged: { pr: other } }) => !isOfSameMerge(other, pr) && !isOnTop(pr, other))
    return found && { by: found.merged.pr, shared: found.shared, lines: found.lines }
  }
  const tell = (pr: Changed, head: Head, at: number) => {
    const done = findDone(pr, head, at)
    const before = told.get(pr)
    if (before) before.is_told_at_end = done !== undefined
    else if (done && at >= since) told.set(pr, { pr, at, is_told_at_end: true, ...done })
  }
  const merge = (pr: Changed, at: number) => {
    const { added, removed } = linesOf(pr.last)
    const own = { pr, at, lines: new Set(added) }
    byLine.merge(own, { added, removed }, (other) => other.pr.branch === pr.branch)
    if (added.length > NEW_LINES_MAX) return
    merged.push(own)
    for (const [other, head] of open)
      if (linesOf(head).added.some((hash) => own.lines.has(hash))) tell(other, head, at)
  }

  const takenBack = reverted.toSorted((a, b) => a.at - b.at)
  const forget = ({ branch, number }: Reverted) => {
    const gone = merged.find(({ pr }) => pr.n === number && pr.branch === branch)
    byLine.forget((other) => other === gone)
  }

  for (const { at, pr, revision } of eventsOf(changed)) {
    while (takenBack[0] !== undefined && takenBack[0].at <= at) forget(takenBack.shift() as Reverted)
    if (revision === null) {
      open.delete(pr)
      if (pr.merged !== null && isMerged(pr)) merge(pr, at)
    } else {
      open.set(pr, revision.changes)
      tell(pr, revision.changes, at)
    }
  }
  return { told: [...told.values()], linesOf: (pr: Changed) => linesOf(pr.last).added }
}

/** One commit has merged both. */
function isOfSameMerge(a: Changed, b: Changed): boolean {
  return a.merged !== null && a.merged.branch === b.merged?.branch && a.merged.position === b.merged.position
}
