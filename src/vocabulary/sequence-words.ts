/** What it is called when two sides take the same number or parent, and how one of them gives way. Pure. */

import { renumbered } from './file-number.ts'
import { nextOf, type TakenFinding, takenValue } from './finding.ts'
import type { Quote } from './text.ts'

/** `0042 in db/migrations`. */
export function sequencePlace(taken: TakenFinding, quote: Quote): string {
  const { directory } = taken
  return directory === '' ? quote(takenValue(taken)) : `${quote(takenValue(taken))} in ${quote(directory)}`
}

/** ` (0042_carts.sql); the next free number is 0043`, or for a parent the files of both. */
export function sequenceNote(taken: TakenFinding, quote: Quote): string {
  const { yours, theirs } = taken
  if (taken.kind === 'parent') return ` (yours: ${quote(yours)}, theirs: ${quote(theirs)})`
  const { next } = taken
  return ` (${quote(theirs)})${next === null ? '' : `; the next free number is ${quote(next)}`}`
}

/** Names that are safe in a command line without quotes. */
const PLAIN = /^[\w@+.][\w@+./-]*$/
const DJANGO = /(?:^|\/)([\w.-]+)\/migrations$/

/**
 * How to give way: the command that renames the file, or the line of a migration that names its parent. `successor`: the
 * name of the other migration, see `successorOf`. Null if it is not known, or if a name is not plain.
 */
export function sequenceFix(taken: TakenFinding, successor: string | null): string | null {
  const { kind, directory, yours } = taken
  if (kind === 'parent') {
    if (successor === null || !PLAIN.test(successor)) return null
    const [, app] = DJANGO.exec(directory) ?? []
    return app !== undefined && /^\d{4}_/.test(successor)
      ? `dependencies = [("${app}", "${successor}")]`
      : `down_revision = "${successor}"`
  }
  const next = nextOf(taken)
  const name = next === null ? null : renumbered(yours, next)
  if (name === null) return null
  const [from, to] = [yours, name].map((each) => (directory === '' ? each : `${directory}/${each}`)) as [
    string,
    string,
  ]
  return PLAIN.test(from) && PLAIN.test(to) ? `git mv ${from} ${to}` : null
}
