/** The stored form of digests: one array of 32-bit words in little-endian order. Pure. */
import type { Block, Digest, Hunk } from './digest.ts'

const VERSION = 2
/** The words before the lists: the version with the flag for submodules, and the length of each list. */
const HEAD = 6
const HUNK_WORDS = 5
const BLOCK_WORDS = 5
const WORD_BYTES = 4

/** The bytes are not a digest of this version. */
export class DigestError extends Error {
  override readonly name = 'DigestError'
}

export function encodeDigest({ is_submodule, hunks, blocks, lines, added, trimmed }: Digest): Uint8Array {
  const lengths = [hunks, blocks, lines, added, trimmed].map(({ length }) => length)
  const lists = [
    ...hunks.map((each) => [each.start, each.end, each.lines_at, each.blocks_at, each.blocks_end]),
    ...blocks.map((each) => [each.start, each.end, each.lines_at, each.added_at, each.added_end]),
    ...[lines, added, trimmed],
  ]
  const words = new Uint32Array(lists.reduce((sum, { length }) => sum + length, HEAD))
  words.set([(VERSION << 1) | (is_submodule ? 1 : 0), ...lengths])
  let at = HEAD
  for (const list of lists) {
    words.set(list, at)
    at += list.length
  }
  return new Uint8Array(words.buffer)
}

/** Throws DigestError. Memory and time are bounded by the length of `bytes`. */
export function decodeDigest(bytes: Uint8Array): Digest {
  if (bytes.length % WORD_BYTES !== 0) throw new DigestError('not a digest: it is cut off')
  // A copy, because the bytes of a row may start anywhere in the memory of a response.
  const words = new Uint32Array(new Uint8Array(bytes).buffer)
  const [head = 0, hunk_count = 0, block_count = 0, line_count = 0, added_count = 0, trimmed_count = 0] =
    words.subarray(0, HEAD)
  if (head >> 1 !== VERSION) throw new DigestError('not a digest: another version')
  const blocks_at = HEAD + HUNK_WORDS * hunk_count
  const lines_at = blocks_at + BLOCK_WORDS * block_count
  const added_at = lines_at + line_count
  const trimmed_at = added_at + added_count
  if (trimmed_at + trimmed_count !== words.length) throw new DigestError('not a digest: another length')
  const hunks: Hunk[] = []
  for (let at = HEAD; at < blocks_at; at += HUNK_WORDS) {
    const [start, end, lines_at, blocks_at, blocks_end] = words.subarray(
      at,
      at + HUNK_WORDS,
    ) as unknown as Five
    hunks.push({ start, end, lines_at, blocks_at, blocks_end })
  }
  const blocks: Block[] = []
  for (let at = blocks_at; at < lines_at; at += BLOCK_WORDS) {
    const [start, end, lines_at, added_at, added_end] = words.subarray(
      at,
      at + BLOCK_WORDS,
    ) as unknown as Five
    blocks.push({ start, end, lines_at, added_at, added_end })
  }
  return {
    is_submodule: (head & 1) === 1,
    hunks,
    blocks,
    lines: words.subarray(lines_at, added_at),
    added: words.subarray(added_at, trimmed_at),
    trimmed: words.subarray(trimmed_at),
  }
}

type Five = [number, number, number, number, number]

/** Decodes a digest; null if another version wrote it, as if there had been no patch. */
export function digestIfKnown(bytes: Uint8Array): Digest | null {
  try {
    return decodeDigest(bytes)
  } catch (error) {
    if (error instanceof DigestError) return null
    throw error
  }
}
