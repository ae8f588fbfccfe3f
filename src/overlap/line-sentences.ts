/** How a match by lines is described to people (contract §11). Pure. */
import type { LineRange, Verdict } from '../lines/verdict.ts'
import type { Match } from './overlap.ts'

type Relation = Pick<Match, 'lines' | 'duplicate' | 'paths'>

/** The verdicts after which nothing needs to be done. */
const HARMLESS: ReadonlySet<Verdict | null> = new Set(['near', 'far'])

/** Null if areas or globs say more. `who`: the other side, as the subject of a sentence. */
export function linesSentence(who: string, match: Relation): string | null {
  const { duplicate, lines, paths } = match
  if (duplicate !== null) return duplicateSentence(who, duplicate)
  const [first] = paths
  if (first?.verdict == null) return null
  const isByGlob = lines !== 'conflict' && paths.some(({ verdict }) => verdict === null)
  return isByGlob ? null : fileSentence(who, first)
}

/** The sentence if the changes are so far apart that nothing needs to be done; else null. */
export function harmlessSentence(who: string, match: Relation): string | null {
  return HARMLESS.has(match.lines) ? linesSentence(who, match) : null
}

function duplicateSentence(
  who: string,
  { share, added_lines, issue }: NonNullable<Match['duplicate']>,
): string {
  const reason =
    issue === null
      ? `${Math.round(share * added_lines)} of ${added_lines} added lines are alike`
      : `both close ${typeof issue === 'number' ? `#${issue}` : issue}`
  return `${who} seems to do the same as yours (${reason})`
}

function fileSentence(
  who: string,
  { example, verdict, confidence, their_lines }: Match['paths'][number],
): string {
  const file = `\`${example}\``
  const where = their_lines === null ? file : `${linesText(their_lines)} of ${file}`
  switch (verdict) {
    case 'conflict':
      return `${who} changes ${where} too${confidence === 'likely' ? ', probably in conflict with yours' : ''}`
    case 'agrees':
      return `${who} makes the same change to ${where}`
    case 'touching':
      return `${who} changes ${where} too, next to yours`
    case 'near':
      return `${who} changes ${where} too, some lines away from yours`
    case 'far':
      return `${who} changes ${file} too, far from your lines`
    default:
      return `${who} changes ${file} too; which lines is not known`
  }
}

function linesText([first, last]: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`
}
