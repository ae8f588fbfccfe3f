/** The digest of a patch, which is all that is stored of it: line numbers and hashes, no text (docs/contract/lines.md#digests), and its stored form. Pure. */
import { isTelling, type LineHasher, type LineWord, trimmedHash } from './line-hash.ts'
import { type PatchHunk, readPatch } from './patch.ts'

/** A range of base lines that a patch shows, from `start` to `end`, exclusive. */
export interface Hunk {
  start: number
  end: number
  /** The index of its first line in `Digest.lines`. */
  lines_at: number
  /** The index of its first block in `Digest.blocks`. */
  blocks_at: number
  blocks_end: number
}

/** A replacement of the base lines from `start` to `end`, exclusive; for an insertion before `start` both are the same. */
export interface Block {
  start: number
  end: number
  /** The index of its first line in `Digest.lines`. */
  lines_at: number
  /** The index of its first new line in `Digest.added`. */
  added_at: number
  added_end: number
}

/** A patch without its text. Each line is a `LineWord`. */
export interface Digest {
  /** The file is a submodule; the added line names its commit. */
  is_submodule: boolean
  hunks: Hunk[]
  blocks: Block[]
  /** The base lines of all hunks, in order. */
  lines: Uint32Array
  added: Uint32Array
  /** The trimmed hash of each telling line of `added`, in order. */
  trimmed: Uint32Array
}

/** The maximum number of lines in a digest. A larger patch counts as omitted. */
export const DIGEST_LINES_MAX = 65_536

const SUBMODULE = /^Subproject commit [0-9a-f]{7,64}(?:-dirty)?$/

/** The digest of a patch; null if the patch is too large. Throws PatchError if it cannot be read. */
export function digestOf(patch: string, hash: LineHasher): Digest | null {
  const [lines, added, shapes] = [new Words(), new Words(), new Words()]
  const draft: Draft = { hunks: [], blocks: [], lines, added, shapes }
  let total = 0
  let is_submodule = true
  for (const hunk of readPatch(patch, DIGEST_LINES_MAX + 1)) {
    total += hunk.lines.length
    if (total > DIGEST_LINES_MAX) continue
    is_submodule &&= hunk.lines.every(({ text }) => SUBMODULE.test(text))
    addHunk(draft, hunk, hash)
  }
  if (total > DIGEST_LINES_MAX) return null
  return {
    is_submodule: is_submodule && total > 0,
    hunks: draft.hunks,
    blocks: draft.blocks,
    lines: lines.all(),
    added: added.all(),
    trimmed: trimmedOf(draft),
  }
}

function trimmedOf({ added, shapes }: Draft): Uint32Array {
  const trimmed = new Words()
  for (let at = 0; at < added.length; at++) {
    const word = added.items[at] as LineWord
    if (isTelling(word)) trimmed.push(trimmedHash({ word, shape: shapes.items[at] as number }))
  }
  return trimmed.all()
}

/** A growing array of 32-bit words. A plain array may store each word above 30 bits as an object. */
class Words {
  /** Only the first `length` items are used. */
  items = new Uint32Array(64)
  length = 0

  push(word: number): void {
    if (this.length === this.items.length) {
      const { items } = this
      this.items = new Uint32Array(2 * items.length)
      this.items.set(items)
    }
    this.items[this.length++] = word
  }

  all(): Uint32Array {
    return this.items.slice(0, this.length)
  }
}

interface Draft {
  hunks: Hunk[]
  blocks: Block[]
  lines: Words
  added: Words
  /** The shape of each line of `added`. */
  shapes: Words
}

function addHunk(draft: Draft, { start, lines }: PatchHunk, hash: LineHasher): void {
  const hunk: Hunk = {
    start,
    end: start,
    lines_at: draft.lines.length,
    blocks_at: draft.blocks.length,
    blocks_end: 0,
  }
  let block: Block | undefined
  for (const { kind, text, ends } of lines) {
    const { word, shape } = hash(text, ends)
    if (kind === 'context') block = undefined
    else if (block === undefined) {
      const [lines_at, added_at] = [draft.lines.length, draft.added.length]
      block = { start: hunk.end, end: hunk.end, lines_at, added_at, added_end: added_at }
      draft.blocks.push(block)
    }
    if (kind === 'added') {
      draft.added.push(word)
      draft.shapes.push(shape)
      if (block) block.added_end++
      continue
    }
    draft.lines.push(word)
    hunk.end++
    if (block) block.end++
  }
  hunk.blocks_end = draft.blocks.length
  draft.hunks.push(hunk)
  for (let at = hunk.blocks_at; at < hunk.blocks_end; at++) slideDown(draft, hunk, at)
}

/**
 * A block of only inserted or only removed lines can often be placed some lines further down with the same result: a function
 * that is inserted between two others begins or ends with an empty line. `git diff` picks the place that reads best, and a
 * merge picks the last one, so blocks are moved down as far as the hunk shows.
 */
function slideDown({ lines, added, shapes, blocks }: Draft, hunk: Hunk, at: number): void {
  const block = blocks[at] as Block
  const inserted = block.added_end - block.added_at
  if (inserted > 0 && block.start < block.end) return
  const next = at + 1 < hunk.blocks_end ? (blocks[at + 1] as Block).start - 1 : hunk.end
  const lineOf = (line: number) => lines.items[hunk.lines_at + line - hunk.start]
  const first = (by: number) =>
    inserted > 0 ? added.items[block.added_at + (by % inserted)] : lineOf(block.start + by)
  let by = 0
  while (block.end + by < next && first(by) === lineOf(block.end + by)) by++
  block.start += by
  block.end += by
  block.lines_at += by
  if (inserted === 0 || by % inserted === 0) return
  for (const { items } of [added, shapes])
    rotate(items.subarray(block.added_at, block.added_end), by % inserted)
}

/** Moves the first `by` items to the end. */
function rotate(items: Uint32Array, by: number): void {
  const moved = items.slice(0, by)
  items.copyWithin(0, by)
  items.set(moved, items.length - by)
}

/** The stored form is one array of 32-bit words in little-endian order. */
const VERSION = 3
/** The words before the lists: the version with the flag for submodules, and the length of each list. */
const HEAD = 6
const HUNK_WORDS = 5
const BLOCK_WORDS = 5
const WORD_BYTES = 4

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

/**
 * Null if another version wrote it, or a part is missing, as if there had been no patch. Memory and time are bounded by the length of
 * `bytes`.
 */
export function decodeDigest(bytes: Uint8Array): Digest | null {
  if (bytes.length % WORD_BYTES !== 0) return null
  // A copy, because the bytes of a row may start anywhere in the memory of a response.
  const words = new Uint32Array(new Uint8Array(bytes).buffer)
  const [head = 0, hunk_count = 0, block_count = 0, line_count = 0, added_count = 0, trimmed_count = 0] =
    words.subarray(0, HEAD)
  if (head >> 1 !== VERSION) return null
  const blocks_at = HEAD + HUNK_WORDS * hunk_count
  const lines_at = blocks_at + BLOCK_WORDS * block_count
  const added_at = lines_at + line_count
  const trimmed_at = added_at + added_count
  if (trimmed_at + trimmed_count !== words.length) return null
  // Faster than an iterator of the words.
  const fiveAt = (at: number) =>
    [words[at], words[at + 1], words[at + 2], words[at + 3], words[at + 4]] as Five
  const hunks: Hunk[] = []
  for (let at = HEAD; at < blocks_at; at += HUNK_WORDS) {
    const [start, end, lines_at, blocks_at, blocks_end] = fiveAt(at)
    hunks.push({ start, end, lines_at, blocks_at, blocks_end })
  }
  const blocks: Block[] = []
  for (let at = blocks_at; at < lines_at; at += BLOCK_WORDS) {
    const [start, end, lines_at, added_at, added_end] = fiveAt(at)
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
