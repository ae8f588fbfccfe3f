/** Finds the hunks of two patches that show the same lines of the base, although the bases may differ (docs/contract/lines.md#alignment). Pure. */
import { firstIndex } from '../../vocabulary/lists.ts'
import { DIGEST_LINES_MAX, type Digest, type Hunk } from './digest.ts'
import { isTelling, type LineWord } from './line-hash.ts'

/** Two hunks, by their indexes. Adding `shift` to the line numbers of hunk `a` gives those of hunk `b`. */
export interface Alignment {
  a: number
  b: number
  shift: number
  /** `assumed`: too few lines are equal. The hunks are assumed not to overlap, and the shift is an estimate. */
  confidence: 'proved' | 'likely' | 'assumed'
}

/** Within this many lines of the expected shift, fewer equal lines are needed. */
const NEARBY = 50
/** The work that two patches may still take, in compared lines: text that repeats itself has many places in the other one. */
export interface Work {
  left: number
}

/** A candidate shift, and a comparison at a shift, take as long as comparing so many lines. */
const COST = { candidate: 100, shift: 80 }

/**
 * The pairs of hunks that show the same lines. A hunk of `a` is also paired with the hunks of `b` before and after it.
 * `one_base`: both patches are known to start from the same commit; this is ignored if their lines contradict it. If no work
 * is left, pairs may be missing.
 */
export function alignHunks(a: Digest, b: Digest, one_base: boolean, work: Work): Alignment[] {
  return (one_base ? alignByNumber(a, b, work) : null) ?? alignByLines(a, b, work)
}

/** Aligns by line numbers. Null if both show different lines under one number. */
function alignByNumber(a: Digest, b: Digest, work: Work): Alignment[] | null {
  const found: Alignment[] = []
  for (const [at, hunk] of a.hunks.entries()) {
    const { from, to } = neighbours(hunk, b, 0)
    for (let other = from; other < to && work.left >= 0; other++) {
      const pair = { a, ours: hunk, b, theirs: b.hunks[other] as Hunk }
      if (compare(pair, 0, work).different > 0) return null
      found.push({ a: at, b: other, shift: 0, confidence: 'proved' })
    }
  }
  return found
}

/** Aligns by equal telling lines. `expected` is the last proved shift. */
function alignByLines(a: Digest, b: Digest, work: Work): Alignment[] {
  const found: Alignment[] = []
  const telling = tellingLines(b)
  let expected = 0
  for (const [at, hunk] of a.hunks.entries()) {
    const candidates = candidatesOf(a, hunk, telling, work)
    const { from, to } = neighbours(hunk, b, expected)
    for (let other = from; other < to; other++) candidates.push(candidate(other, expected))
    const sorted = Float64Array.from(new Set(candidates)).sort()
    for (let index = 0; index < sorted.length; ) {
      const { hunk: other } = readCandidate(sorted[index] as number)
      const pair = { a, ours: hunk, b, theirs: b.hunks[other] as Hunk }
      let best = fitAt(pair, { shift: expected, expected, work })
      for (; index < sorted.length; index++) {
        if (work.left < 0) return found
        const next = readCandidate(sorted[index] as number)
        if (next.hunk !== other) break
        if (next.shift === expected) continue
        const fit = fitAt(pair, { shift: next.shift, expected, work })
        if (fit === null || (best !== null && !isBetter(fit, best, expected))) continue
        if (!isTaken(pair, { fit, expected, work })) best = fit
      }
      if (best?.confidence === 'proved') expected = best.shift
      found.push({
        a: at,
        b: other,
        shift: best?.shift ?? expected,
        confidence: best?.confidence ?? 'assumed',
      })
    }
  }
  return found
}

/** Packs a hunk of the other side, and a shift at which it may show the same lines, into one number that sorts by hunk. */
function candidate(hunk: number, shift: number): number {
  return hunk * 2 ** 32 + shift + 2 ** 31
}

function readCandidate(packed: number): { hunk: number; shift: number } {
  const hunk = Math.floor(packed / 2 ** 32)
  return { hunk, shift: packed - hunk * 2 ** 32 - 2 ** 31 }
}

interface HunkPair {
  a: Digest
  ours: Hunk
  b: Digest
  theirs: Hunk
}

interface Fit {
  shift: number
  /** Telling lines that are equal. */
  telling: number
  confidence: 'proved' | 'likely'
}

function isBetter(one: Fit, other: Fit, expected: number): boolean {
  if (one.telling !== other.telling) return one.telling > other.telling
  return Math.abs(one.shift - expected) < Math.abs(other.shift - expected)
}

/**
 * Whether another hunk fits these lines better: at the expected shift, proved, and with at least as many telling lines. In
 * that case the text occurs more than once, and this fit is accidental.
 */
function isTaken(
  { a, ours, b, theirs }: HunkPair,
  { fit, expected, work }: { fit: Fit; expected: number; work: Work },
): boolean {
  const isProved = (mine: Hunk, its: Hunk) => {
    const rival = fitAt({ a, ours: mine, b, theirs: its }, { shift: expected, expected, work })
    return rival?.confidence === 'proved' && rival.telling >= fit.telling
  }
  const { start, end } = stretchOf(ours, theirs, fit.shift)
  const others = overlapping(b, start + expected, end + expected)
  for (let at = others.from; at < others.to; at++) if (isProved(ours, b.hunks[at] as Hunk)) return true
  const back = fit.shift - expected
  const own = overlapping(a, start + back, end + back)
  for (let at = own.from; at < own.to; at++) if (isProved(a.hunks[at] as Hunk, theirs)) return true
  return false
}

/** The fit of two hunks at a shift; null if their lines are not enough evidence for it. */
function fitAt(
  pair: HunkPair,
  { shift, expected, work }: { shift: number; expected: number; work: Work },
): Fit | null {
  const comparison = compare(pair, shift, work)
  const confidence = confidenceOf(comparison, Math.abs(shift - expected))
  return confidence === null ? null : { shift, telling: comparison.telling, confidence }
}

/** The lines that two hunks have in common at a shift. */
interface LineComparison {
  equal: number
  telling: number
  different: number
  /** All lines of one of the hunks are shown by the other, too. */
  is_within: boolean
}

/** Whether the equal lines are enough evidence for a shift that is `off` lines from the expected one. */
function confidenceOf(
  { equal, telling, different, is_within }: LineComparison,
  off: number,
): Fit['confidence'] | null {
  if (different === 0) {
    if (telling >= 2 && equal >= 4) return 'proved'
    if (off === 0 && (equal >= 2 || is_within)) return 'proved'
    // Some telling line is equal, or this shift would not be compared.
    if (off <= NEARBY && equal >= 3) return 'proved'
  }
  return off <= NEARBY && telling >= 2 && equal >= 2 * different ? 'likely' : null
}

function compare({ a, ours, b, theirs }: HunkPair, shift: number, work: Work): LineComparison {
  const { start, end } = stretchOf(ours, theirs, shift)
  let [equal, telling] = [0, 0]
  const ours_at = ours.lines_at - ours.start
  const theirs_at = theirs.lines_at - theirs.start + shift
  for (let line = start; line < end; line++) {
    const word = a.lines[ours_at + line] as LineWord
    if (word !== b.lines[theirs_at + line]) continue
    equal++
    if (isTelling(word)) telling++
  }
  const shared = end - start
  work.left -= COST.shift + Math.max(shared, 0)
  const least = Math.min(ours.end - ours.start, theirs.end - theirs.start)
  return { equal, telling, different: Math.max(shared, 0) - equal, is_within: shared === least }
}

/** The lines that both hunks show at a shift, in the numbering of `ours`. The end is before the start if they lie apart. */
function stretchOf(ours: Hunk, theirs: Hunk, shift: number): { start: number; end: number } {
  return { start: Math.max(ours.start, theirs.start - shift), end: Math.min(ours.end, theirs.end - shift) }
}

/** The shifts at which a telling line of the hunk equals a line that the other side shows. */
function candidatesOf(a: Digest, hunk: Hunk, { sorted, hunk_of, b }: TellingLines, work: Work): number[] {
  const candidates: number[] = []
  for (let line = hunk.start; line < hunk.end; line++) {
    const word = a.lines[hunk.lines_at + line - hunk.start] as LineWord
    if (!isTelling(word)) continue
    const [first, end] = [word * DIGEST_LINES_MAX, (word + 1) * DIGEST_LINES_MAX]
    let at = firstIndex(sorted, (each) => each >= first)
    for (; at < sorted.length && (sorted[at] as number) < end; at++) {
      work.left -= COST.candidate
      if (work.left < 0) return candidates
      const index = (sorted[at] as number) - first
      const other = hunk_of[index] as number
      const { start, lines_at } = b.hunks[other] as Hunk
      candidates.push(candidate(other, start + index - lines_at - line))
    }
  }
  return candidates
}

/** A digest with its telling lines sorted by word, for binary search. */
interface TellingLines {
  b: Digest
  /** `word * DIGEST_LINES_MAX + index`, ascending. The index is that of the line in `b.lines`. */
  sorted: Float64Array
  /** The index of the hunk of each line. */
  hunk_of: Int32Array
}

function tellingLines(b: Digest): TellingLines {
  const hunk_of = new Int32Array(b.lines.length)
  for (const [index, { start, end, lines_at }] of b.hunks.entries())
    hunk_of.fill(index, lines_at, lines_at + end - start)
  const places: number[] = []
  for (let index = 0; index < b.lines.length; index++) {
    const word = b.lines[index] as LineWord
    if (isTelling(word)) places.push(word * DIGEST_LINES_MAX + index)
  }
  return { b, sorted: new Float64Array(places).sort(), hunk_of }
}

/** The hunks that overlap or adjoin this one at a shift, with one more before and one more after them. */
function neighbours({ start, end }: Hunk, other: Digest, shift: number): { from: number; to: number } {
  const { from, to } = overlapping(other, start + shift - 1, end + shift + 1)
  return { from: Math.max(from - 1, 0), to: Math.min(to + 1, other.hunks.length) }
}

/** The hunks that show some of the lines from `start` up to `end`. */
function overlapping({ hunks }: Digest, start: number, end: number): { from: number; to: number } {
  const from = firstIndex(hunks, (hunk) => hunk.end > start)
  return { from, to: firstIndex(hunks, (hunk) => hunk.start >= end, { from }) }
}
