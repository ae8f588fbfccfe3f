/** What it is called when two sides take the same number or parent, and how one of them gives way. Pure. */

import { renumbered } from './file-number.ts'
import type { Quote } from './text.ts'
import type { Sequence } from './verdict.ts'

/** The number or parent, the files of both sides, and what is free instead. */
export type SequenceWords = Pick<Sequence, 'kind' | 'directory' | 'value' | 'yours' | 'theirs' | 'next'>

/** `0042 in db/migrations`. */
export function sequencePlace(
  { directory, value }: Pick<Sequence, 'directory' | 'value'>,
  quote: Quote,
): string {
  return directory === '' ? quote(value) : `${quote(value)} in ${quote(directory)}`
}

/** ` (0042_carts.sql); the next free number is 0043`, or for a parent the files of both. */
export function sequenceNote({ kind, yours, theirs, next }: SequenceWords, quote: Quote): string {
  if (kind === 'same_parent') return ` (yours: ${quote(yours)}, theirs: ${quote(theirs)})`
  return ` (${quote(theirs)})${next === null ? '' : `; the next free number is ${quote(next)}`}`
}

/** Names that are safe in a command line without quotes. */
const PLAIN = /^[\w@+.][\w@+./-]*$/
const DJANGO = /(?:^|\/)([\w.-]+)\/migrations$/

/**
 * How to give way: the command that renames the file, or the line of a migration that names its parent. `successor`: the
 * name of the other migration, see `Sequence`. Null if it is not known, or if a name is not plain.
 */
export function sequenceFix(
  { kind, directory, yours, next }: SequenceWords,
  successor: string | null,
): string | null {
  if (kind === 'same_parent') {
    if (successor === null || !PLAIN.test(successor)) return null
    const [, app] = DJANGO.exec(directory) ?? []
    return app !== undefined && /^\d{4}_/.test(successor)
      ? `dependencies = [("${app}", "${successor}")]`
      : `down_revision = "${successor}"`
  }
  const name = next === null ? null : renumbered(yours, next)
  if (name === null) return null
  const [from, to] = [yours, name].map((each) => (directory === '' ? each : `${directory}/${each}`)) as [
    string,
    string,
  ]
  return PLAIN.test(from) && PLAIN.test(to) ? `git mv ${from} ${to}` : null
}
