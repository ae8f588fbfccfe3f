/**
 * The stored form of digests: about four bytes for each distinct line of the patch. Pure.
 *
 * 1. A byte with the version and the flag for submodules.
 * 2. Hunks and blocks as variable-length integers, with line numbers relative to the previous ones.
 * 3. The lines: one bit per line, set if the same line occurred before; then the words of the lines that occur for the
 *    first time; then, for each repeated line, the index of its word in as few bits as possible.
 * 4. The shapes (see `HashedLine`) of the added telling lines: a table, and an index into it for each line.
 */
import { ByteReader, ByteWriter } from './bytes.ts'
import { type Block, DIGEST_LINES_MAX, type Digest, type Hunk } from './digest.ts'
import { HASH_MASK, isTelling, type LineWord } from './line-hash.ts'

const VERSION = 1
/** The minimum size of a hunk: three numbers. */
const HUNK_BYTES_MIN = 3

/** The bytes are not a digest of this version. */
export class DigestError extends Error {
  override readonly name = 'DigestError'
}

export function encodeDigest(digest: Digest): Uint8Array {
  const out = new ByteWriter()
  out.byte((VERSION << 1) | (digest.is_submodule ? 1 : 0))
  writeHunks(out, digest)
  writeWords(out, [...digest.lines, ...digest.added])
  writeShapes(out, digest)
  return out.bytes()
}

/** Throws DigestError. Memory and time are bounded by the length of `bytes` and by `DIGEST_LINES_MAX`. */
export function decodeDigest(bytes: Uint8Array): Digest {
  const reader = new ByteReader(bytes, (problem) => new DigestError(`not a digest: ${problem}`))
  const head = reader.byte()
  if (head >> 1 !== VERSION) throw reader.error('another version')
  const { hunks, blocks, lines: line_count, added: added_count } = readHunks(reader)
  const words = readWords(reader, line_count + added_count)
  const added = words.slice(line_count)
  const trimmed = readShapes(reader, added.filter(isTelling))
  if (!reader.isAtEnd()) throw reader.error('it has trailing bytes')
  return { is_submodule: (head & 1) === 1, hunks, blocks, lines: words.slice(0, line_count), added, trimmed }
}

function writeHunks(out: ByteWriter, { hunks, blocks }: Digest): void {
  out.number(hunks.length)
  let line = 0
  for (const hunk of hunks) {
    out.number(hunk.start - line)
    out.number(hunk.end - hunk.start)
    out.number(hunk.blocks_end - hunk.blocks_at)
    line = hunk.start
    for (const block of blocks.slice(hunk.blocks_at, hunk.blocks_end)) {
      out.number(block.start - line)
      out.number(block.end - block.start)
      out.number(block.added_end - block.added_at)
      line = block.end
    }
    line = hunk.end
  }
}

function readHunks(reader: ByteReader) {
  const count = reader.number()
  if (count * HUNK_BYTES_MIN > reader.left()) throw reader.error('too many hunks')
  const hunks: Hunk[] = []
  const blocks: Block[] = []
  let [line, lines, added] = [0, 0, 0]
  for (let index = 0; index < count; index++) {
    const start = line + reader.number()
    const end = start + reader.number()
    const blocks_at = blocks.length
    const block_count = reader.number()
    if (block_count * HUNK_BYTES_MIN > reader.left()) throw reader.error('too many blocks')
    line = start
    for (let each = 0; each < block_count; each++) {
      const first = line + reader.number()
      line = first + reader.number()
      const added_at = added
      added += reader.number()
      blocks.push({ start: first, end: line, lines_at: lines + first - start, added_at, added_end: added })
    }
    if (line > end) throw reader.error('a block goes beyond its hunk')
    hunks.push({ start, end, lines_at: lines, blocks_at, blocks_end: blocks.length })
    lines += end - start
    line = end
    if (lines + added > DIGEST_LINES_MAX) throw reader.error('too many lines')
  }
  return { hunks, blocks, lines, added }
}

function writeWords(out: ByteWriter, words: readonly LineWord[]): void {
  const indexes = new Map<LineWord, number>()
  const repeats: number[] = []
  out.bits(words, 1, (word) => {
    const index = indexes.get(word)
    if (index === undefined) indexes.set(word, indexes.size)
    else repeats.push(index)
    return index === undefined ? 0 : 1
  })
  for (const word of indexes.keys()) out.word(word)
  out.bits(repeats, widthOf(indexes.size), (index) => index)
}

function readWords(reader: ByteReader, count: number): Uint32Array {
  const repeated = reader.bits(count, 1)
  const different: LineWord[] = []
  for (let index = 0; index < count; index++) if (repeated[index] === 0) different.push(reader.word())
  const repeats = reader.bits(count - different.length, widthOf(different.length))
  const words = new Uint32Array(count)
  let [next, nextRepeat] = [0, 0]
  for (let index = 0; index < count; index++) {
    const which = repeated[index] === 0 ? next++ : (repeats[nextRepeat++] as number)
    if (which >= next) throw reader.error('a line repeats one that did not occur yet')
    words[index] = different[which] as LineWord
  }
  return words
}

function writeShapes(out: ByteWriter, { added, trimmed }: Digest): void {
  const telling = added.filter(isTelling)
  const shapes = [...telling].map((word, index) => ((word >>> 1) - (trimmed[index] as number)) & HASH_MASK)
  const table = new Map([...new Set(shapes)].map((shape, index) => [shape, index]))
  out.number(table.size)
  for (const shape of table.keys()) out.word(shape)
  out.bits(shapes, widthOf(table.size), (shape) => table.get(shape) as number)
}

function readShapes(reader: ByteReader, telling: Uint32Array): Uint32Array {
  const size = reader.number()
  if (size > telling.length) throw reader.error('more shapes than lines')
  const table = Array.from({ length: size }, () => reader.word())
  const which = reader.bits(telling.length, widthOf(size))
  return telling.map((word, index) => {
    const shape = table[which[index] as number]
    if (shape === undefined) throw reader.error('a line has no shape')
    return ((word >>> 1) - shape) & HASH_MASK
  })
}

/** The number of bits that distinguish `size` values. */
function widthOf(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1)
}
