/**
 * Keyed hashes of lines, which are all that is stored of the text of a patch. Pure.
 *
 * A line is a 32-bit word: 31 bits of hash, and one bit that says whether the line is *telling*. The hashes are
 * keyed, so that a short line cannot be found by hashing all short lines. The key of a repository is deleted with its data.
 *
 * Odds of a collision. Two different lines of one kind, telling or not, have the same word with a probability of 2⁻³¹,
 * and without the key nobody can search for such lines. A conflict is `proved` wrongly only if at least one pair of
 * different base lines, one of each side, collides, and all other lines that both hunks show happen to be equal. A patch
 * shows 32 base lines on average (docs/research/lines.md), so a pair of files has 32 × 32 = 1,024 such pairs, and the odds are
 * below 1,024 × 2⁻³¹ = 4.8 × 10⁻⁷: less than one in two million pairs of files. Of one pair of files,
 * at most 2,000,000 lines are compared, which bounds the odds of the largest files by 0.1 %.
 */

/** The length of a key in bytes. Each repository has its own random key. */
export const KEY_BYTES = 16

/** A line as one word: `hash << 1 | telling`, unsigned. */
export type LineWord = number

export interface HashedLine {
  word: LineWord
  /** The hash of the whitespace around the text: see `trimmedHash`. */
  shape: number
}

/** Hashes lines with the key of one repository. `ends` is false for a last line without a newline, which is a different line. */
export type LineHasher = (line: string, ends: boolean) => HashedLine

export const HASH_MASK = 0x7fffffff
/** A telling line is longer than this when trimmed, and has three letters in a row. */
const SHORT = 8
const LETTERS = /\p{L}{3}/u
/** The maximum number of shapes (indentations) in the cache. Only a hostile patch has more, and is hashed more slowly. */
const SHAPES_MAX = 1000

export function isTelling(word: LineWord): boolean {
  return (word & 1) === 1
}

/** The hash of a line without the whitespace around it: equal for lines that differ in indentation only. */
export function trimmedHash({ word, shape }: HashedLine): number {
  return ((word >>> 1) - shape) & HASH_MASK
}

/**
 * The hash of a line is the sum of two hashes: of its trimmed text, and of the whitespace around it, its shape. The hash of
 * the trimmed text, which finds duplicates, is therefore the hash of the line minus the shape. A digest stores each distinct
 * shape once.
 */
export function lineHasher(key: Uint8Array): LineHasher {
  if (key.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes, not ${key.length}`)
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
  const words = [0, 4, 8, 12].map((at) => view.getInt32(at, true)) as KeyWords
  const shapes = new Map<string, number>()
  const shapeOf = (around: string) => {
    let shape = shapes.get(around)
    if (shape === undefined) {
      shape = sipHash(words, around) & HASH_MASK
      if (shapes.size < SHAPES_MAX) shapes.set(around, shape)
    }
    return shape
  }
  return (line, ends) => {
    const text = line.trim()
    let shape = 0
    if (text.length < line.length || !ends) {
      // No line contains a newline, so a newline can separate the whitespace before the text from that after it.
      const from = line.indexOf(text)
      shape = shapeOf(`${line.slice(0, from)}\n${line.slice(from + text.length)}${ends ? '' : '\n'}`)
    }
    const hash = (sipHash(words, text) + shape) & HASH_MASK
    const telling = text.length > SHORT && LETTERS.test(text) ? 1 : 0
    return { word: ((hash << 1) | telling) >>> 0, shape }
  }
}

type KeyWords = [number, number, number, number]

/**
 * The lower 32 bits, signed, of SipHash-2-4 of the text's UTF-16 units (little endian). 64-bit words are pairs of 32-bit
 * words, because bitwise operators have 32 bits.
 */
export function sipHash([k0, k1, k2, k3]: KeyWords, text: string): number {
  let [a, A] = [k0 ^ 0x70736575, k1 ^ 0x736f6d65]
  let [b, B] = [k2 ^ 0x6e646f6d, k3 ^ 0x646f7261]
  let [c, C] = [k0 ^ 0x6e657261, k1 ^ 0x6c796765]
  let [d, D] = [k2 ^ 0x79746573, k3 ^ 0x74656462]
  const { length } = text
  const blocks = (length >> 2) + 1
  // One block per four units, one for the remainder, and a final one with four rounds.
  for (let block = 0; block <= blocks; block++) {
    const isFinal = block === blocks
    let [m, M] = [0, 0]
    if (isFinal) c ^= 0xff
    else {
      const at = 4 * block
      m = unit(text, at) | (unit(text, at + 1) << 16)
      M = unit(text, at + 2) | (unit(text, at + 3) << 16)
      if (block === blocks - 1) M |= length << 25
    }
    d ^= m
    D ^= M
    for (let round = isFinal ? 4 : 2; round > 0; round--) {
      let low = (a + b) | 0
      let high = (A + B + carryOf(low, b)) | 0
      ;[a, A] = [high, low]
      high = (B << 13) | (b >>> 19)
      b = ((b << 13) | (B >>> 19)) ^ low
      B = high ^ a
      low = (c + d) | 0
      C = (C + D + carryOf(low, d)) | 0
      c = low
      high = (D << 16) | (d >>> 16)
      d = ((d << 16) | (D >>> 16)) ^ c
      D = high ^ C
      low = (a + d) | 0
      A = (A + D + carryOf(low, d)) | 0
      a = low
      high = (D << 21) | (d >>> 11)
      d = ((d << 21) | (D >>> 11)) ^ a
      D = high ^ A
      low = (c + b) | 0
      high = (C + B + carryOf(low, b)) | 0
      ;[c, C] = [high, low]
      high = (B << 17) | (b >>> 15)
      b = ((b << 17) | (B >>> 15)) ^ low
      B = high ^ c
    }
    a ^= m
    A ^= M
  }
  return a ^ b ^ c ^ d
}

/** The carry of an addition of 32 bits, from its sum and one of its summands. */
function carryOf(sum: number, summand: number): 0 | 1 {
  return sum >>> 0 < summand >>> 0 ? 1 : 0
}

function unit(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0
}
