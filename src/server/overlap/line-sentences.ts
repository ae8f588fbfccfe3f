/** Describes a match by lines for humans. Pure. */

import type { Match } from '../../vocabulary/contract/overlap.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { duplicateText, placeSentence, type Quote } from '../../vocabulary/verdict-words.ts'

type MatchByLines = Pick<Match, 'lines' | 'duplicate' | 'paths'>

/** The verdicts that need no action. */
const HARMLESS: ReadonlySet<Verdict | null> = new Set(['near', 'far'])

const asIs: Quote = (text) => text
const inBackticks: Quote = (text) => `\`${text}\``

/** Null if areas or globs describe the match better. `who`: the other side, as the subject of a sentence. */
export function linesSentence(who: string, match: MatchByLines): string | null {
  const { duplicate, lines, paths } = match
  if (duplicate !== null) return `${who} ${duplicateText('yours', duplicate, asIs)}`
  const [first] = paths
  if (first?.verdict == null) return null
  const isByGlob = lines !== 'conflict' && paths.some(({ verdict }) => verdict === null)
  return isByGlob ? null : placeSentence(who, { ...first, verdict: first.verdict }, inBackticks)
}

/** The sentence if the changes need no action; otherwise null. */
export function harmlessSentence(who: string, match: MatchByLines): string | null {
  return HARMLESS.has(match.lines) ? linesSentence(who, match) : null
}
