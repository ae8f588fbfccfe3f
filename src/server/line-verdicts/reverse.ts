/** The digest of the reverse of a patch: its base is the changed file. Pure. */
import type { Block, Digest, Hunk } from './digest.ts'

/** `trimmed` is empty, because the removed lines of a digest have no trimmed hashes. */
export function reversed(digest: Digest): Digest {
  const [hunks, blocks]: [Hunk[], Block[]] = [[], []]
  const [lines, added]: [number[], number[]] = [[], []]
  let shift = 0
  for (const hunk of digest.hunks) {
    const start = hunk.start + shift
    const [lines_at, blocks_at] = [lines.length, blocks.length]
    const copy = (from: number, to: number, into: number[]) => {
      for (let line = from; line < to; line++)
        into.push(digest.lines[hunk.lines_at + line - hunk.start] as number)
    }
    let line = hunk.start
    for (const block of digest.blocks.slice(hunk.blocks_at, hunk.blocks_end)) {
      copy(line, block.start, lines)
      const [block_lines_at, added_at] = [lines.length, added.length]
      // Spread into `push`, the lines of a large block could overflow the stack.
      for (let at = block.added_at; at < block.added_end; at++) lines.push(digest.added[at] as number)
      copy(block.start, block.end, added)
      blocks.push({
        start: block.start + shift,
        end: block.start + shift + block.added_end - block.added_at,
        lines_at: block_lines_at,
        added_at,
        added_end: added.length,
      })
      shift += block.added_end - block.added_at - (block.end - block.start)
      line = block.end
    }
    copy(line, hunk.end, lines)
    hunks.push({
      start,
      end: start + lines.length - lines_at,
      lines_at,
      blocks_at,
      blocks_end: blocks.length,
    })
  }
  return {
    is_submodule: digest.is_submodule,
    hunks,
    blocks,
    lines: Uint32Array.from(lines),
    added: Uint32Array.from(added),
    trimmed: new Uint32Array(),
  }
}
