/** Finds which hunks of two patches show the same lines of the base, though the bases may differ (contract §11). Pure. */
import type { Budget } from '../base/budget.ts'
import { type Digest, firstIndex, type Hunk } from './digest.ts'
import { isTelling, type LineWord } from './line-hash.ts'

/** Line numbers of hunk `a` become those of hunk `b` (both by index) when `shift` is added. */
export interface Alignment {
  a: number
  b: number
  shift: number
  /** `assumed`: too little is equal to tell, so that they lie apart; the shift is the best guess of how far. */
  confidence: 'proved' | 'likely' | 'assumed'
}

/** Within this many lines of the expected shift less has to be equal. */
const NEARBY = 50
/** In units of about 5 ns: indexing a line, a hunk, a shift to look at, comparing at it, and four lines that are compared. */
const COST = { indexed: 10, hunk: 60, candidate: 12, shift: 20 }

/**
 * The pairs of hunks that show the same lines, and of each hunk of `a` the hunks before and after it. `one_base`: both
 * patches are known to start from the same commit; where their lines say otherwise, they are right. With
 * `budget.remaining` below 0 the search gave up, and pairs may be missing.
 */
export function alignHunks(a: Digest, b: Digest, one_base: boolean, budget: Budget): Alignment[] {
  return (one_base ? alignByNumber(a, b, budget) : null) ?? alignByLines(a, b, budget)
}

/** Null if the two show different lines under one number. */
function alignByNumber(a: Digest, b: Digest, budget: Budget): Alignment[] | null {
  const found: Alignment[] = []
  for (const [at, hunk] of a.hunks.entries()) {
    budget.remaining -= COST.hunk
    const { from, to } = neighbours(hunk, b, 0)
    for (let other = from; other < to && budget.remaining >= 0; other++) {
      const theirs = b.hunks[other] as Hunk
      if (compare(a, hunk, b, theirs, 0, budget).different > 0) return null
      found.push({ a: at, b: other, shift: 0, confidence: 'proved' })
    }
  }
  return found
}

function alignByLines(a: Digest, b: Digest, budget: Budget): Alignment[] {
  const found: Alignment[] = []
  budget.remaining -= COST.indexed * b.lines.length
  const places = tellingPlaces(b)
  let expected = 0
  for (const [at, hunk] of a.hunks.entries()) {
    budget.remaining -= COST.hunk
    const candidates = candidatesOf(a, hunk, places, budget)
    const { from, to } = neighbours(hunk, b, expected)
    for (let other = from; other < to; other++) candidates.push(candidate(other, expected))
    candidates.sort((one, two) => one - two)
    for (let index = 0; index < candidates.length; ) {
      const { hunk: other } = readCandidate(candidates[index] as number)
      const theirs = b.hunks[other] as Hunk
      let best = fitAt(a, hunk, b, theirs, { shift: expected, expected, budget })
      for (; index < candidates.length; index++) {
        if (budget.remaining < 0) return found
        const next = readCandidate(candidates[index] as number)
        if (next.hunk !== other) break
        if (next.shift === expected || candidates[index] === candidates[index - 1]) continue
        const fit = fitAt(a, hunk, b, theirs, { shift: next.shift, expected, budget })
        if (fit === null || (best !== null && !isBetter(fit, best, expected))) continue
        if (!isTaken(a, hunk, b, theirs, { fit, expected, budget })) best = fit
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

/** A shift under which a hunk of the other side may show the same lines, as one number, which sorts by hunk. */
function candidate(hunk: number, shift: number): number {
  return hunk * 2 ** 32 + shift + 2 ** 31
}

function readCandidate(packed: number): { hunk: number; shift: number } {
  const hunk = Math.floor(packed / 2 ** 32)
  return { hunk, shift: packed - hunk * 2 ** 32 - 2 ** 31 }
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
 * Whether lines on which the two hunks fit are proved to be others: at the expected shift, by as many telling lines. The
 * fit then only says that their text is repeated.
 */
function isTaken(
  a: Digest,
  ours: Hunk,
  b: Digest,
  theirs: Hunk,
  { fit, expected, budget }: { fit: Fit; expected: number; budget: Budget },
): boolean {
  const isProved = (mine: Hunk, its: Hunk) => {
    const rival = fitAt(a, mine, b, its, { shift: expected, expected, budget })
    return rival?.confidence === 'proved' && rival.telling >= fit.telling
  }
  const { start, end } = stretchOf(ours, theirs, fit.shift)
  const others = overlapping(b, start + expected, end + expected)
  for (let at = others.from; at < others.to && budget.remaining >= 0; at++)
    if (isProved(ours, b.hunks[at] as Hunk)) return true
  const back = fit.shift - expected
  const own = overlapping(a, start + back, end + back)
  for (let at = own.from; at < own.to && budget.remaining >= 0; at++)
    if (isProved(a.hunks[at] as Hunk, theirs)) return true
  return false
}

/** Null if what the hunks show does not say that the shift is the true one. */
function fitAt(
  a: Digest,
  ours: Hunk,
  b: Digest,
  theirs: Hunk,
  { shift, expected, budget }: { shift: number; expected: number; budget: Budget },
): Fit | null {
  const comparison = compare(a, ours, b, theirs, shift, budget)
  const confidence = confidenceOf(comparison, Math.abs(shift - expected))
  return confidence === null ? null : { shift, telling: comparison.telling, confidence }
}

/** What two hunks have in common under a shift. */
interface Comparison {
  equal: number
  telling: number
  different: number
  /** All lines of one of the two, and fewer than two. */
  is_tiny: boolean
}

/** Whether what is equal is enough to take a shift that lies `off` lines from the expected one for the true one. */
function confidenceOf(
  { equal, telling, different, is_tiny }: Comparison,
  off: number,
): Fit['confidence'] | null {
  if (different === 0) {
    if (telling >= 2 && equal >= 4) return 'proved'
    if (off === 0 && (equal >= 2 || is_tiny)) return 'proved'
    if (off <= NEARBY && telling >= 1 && equal >= 3) return 'proved'
  }
  return off <= NEARBY && telling >= 2 && equal >= 2 * different ? 'likely' : null
}

function compare(a: Digest, ours: Hunk, b: Digest, theirs: Hunk, shift: number, budget: Budget): Comparison {
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
  budget.remaining -= COST.shift + (Math.max(shared, 0) >> 2)
  const least = Math.min(ours.end - ours.start, theirs.end - theirs.start)
  return { equal, telling, different: Math.max(shared, 0) - equal, is_tiny: least < 2 && shared === least }
}

/** The lines that both hunks show under a shift, as numbered in `ours`. It ends before it starts if they lie apart. */
function stretchOf(ours: Hunk, theirs: Hunk, shift: number): { start: number; end: number } {
  return { start: Math.max(ours.start, theirs.start - shift), end: Math.min(ours.end, theirs.end - shift) }
}

/** The shifts under which a telling line of the hunk is one that the other side shows as well. */
function candidatesOf(a: Digest, hunk: Hunk, places: Map<LineWord, number[]>, budget: Budget): number[] {
  const candidates: number[] = []
  for (let line = hunk.start; line < hunk.end; line++) {
    const at = places.get(a.lines[hunk.lines_at + line - hunk.start] as LineWord)
    if (at === undefined) continue
    budget.remaining -= COST.candidate * at.length
    if (budget.remaining < 0) break
    for (let index = 0; index < at.length; index += 2)
      candidates.push(candidate(at[index] as number, (at[index + 1] as number) - line))
  }
  return candidates
}

/** Where each telling line stands: the index of its hunk and its number, in turn. */
function tellingPlaces({ hunks, lines }: Digest): Map<LineWord, number[]> {
  const places = new Map<LineWord, number[]>()
  for (const [index, { start, end, lines_at }] of hunks.entries()) {
    for (let line = start; line < end; line++) {
      const word = lines[lines_at + line - start] as LineWord
      if (!isTelling(word)) continue
      const at = places.get(word)
      if (at === undefined) places.set(word, [index, line])
      else at.push(index, line)
    }
  }
  return places
}

/** The hunks that overlap or adjoin this one under a shift, one more before them and one after them. */
function neighbours({ start, end }: Hunk, other: Digest, shift: number): { from: number; to: number } {
  const { from, to } = overlapping(other, start + shift - 1, end + shift + 1)
  return { from: Math.max(from - 1, 0), to: Math.min(to + 1, other.hunks.length) }
}

/** The hunks that show some of the lines from `start` up to `end`. */
function overlapping({ hunks }: Digest, start: number, end: number): { from: number; to: number } {
  const from = firstIndex(hunks, { from: 0, to: hunks.length }, (hunk) => hunk.end > start)
  return { from, to: firstIndex(hunks, { from, to: hunks.length }, (hunk) => hunk.start >= end) }
}
