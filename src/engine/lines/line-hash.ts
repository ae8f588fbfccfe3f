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
import { hash } from 'node:crypto'

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
  const prefix = Buffer.from(key).toString('latin1')
  const shapes = new Map<string, number>()
  const shapeOf = (around: string) => {
    let shape = shapes.get(around)
    if (shape === undefined) {
      shape = keyedHash(prefix, around)
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
    const sum = (keyedHash(prefix, text) + shape) & HASH_MASK
    const telling = text.length > SHORT && LETTERS.test(text) ? 1 : 0
    return { word: ((sum << 1) | telling) >>> 0, shape }
  }
}

/** The first 31 bits of SHA-256 of the key and the text. */
function keyedHash(key: string, text: string): number {
  return hash('sha256', key + text, 'buffer').readUInt32LE() & HASH_MASK
}
