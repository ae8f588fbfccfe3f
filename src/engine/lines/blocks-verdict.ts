/** Compares the blocks of two patches whose hunks are aligned. Pure. */
import { addTo, firstIndex } from '../../vocabulary/lists.ts'
import { byStrength, type LineRange, type LinesVerdict, type Verdict } from '../../vocabulary/verdict.ts'
import type { Alignment, Work } from './align.ts'
import type { Block, Digest, Hunk } from './digest.ts'

/** What is said of each of two sides. */
export interface Whole<Value> {
  yours: Value
  theirs: Value
}

/** `is_whole`: whether the other side makes all changes of the side too. */
export interface ComparedFile extends LinesVerdict {
  is_whole: Whole<boolean>
}

/** The maximum number of unchanged lines between two blocks for the verdicts `touching` and `near`. */
const TOUCHING_MAX = 3
const NEAR_MAX = 30

/** Two blocks without an unchanged line between them, by index. */
interface Contact {
  a: number
  b: number
  shift: number
  is_proved: boolean
}

/** Two blocks that touch, and their verdict, take as long as comparing so many lines. */
const CONTACT_COST = 1_200

/** The strongest verdict over all alignments; `far` if there are none. If no work is left, a stronger one may have been missed. */
export function blocksVerdict(
  a: Digest,
  b: Digest,
  alignments: readonly Alignment[],
  work: Work,
): ComparedFile {
  const contacts: Contact[] = []
  const nearest = { gap: Number.POSITIVE_INFINITY, a: [] as Block[], b: [] as Block[] }
  for (const alignment of alignments) {
    const { shift, confidence } = alignment
    visitClosest(a, b, alignment, (one, other, lines) => {
      // If the blocks were closer, their hunks would show common lines and would have been aligned by them.
      const gap = confidence === 'assumed' ? Math.max(lines, TOUCHING_MAX + 1) : lines
      if (gap <= 0 && work.left >= 0) {
        contacts.push({ a: one, b: other, shift, is_proved: confidence === 'proved' })
        work.left -= CONTACT_COST
      }
      if (gap < nearest.gap) Object.assign(nearest, { gap, a: [a.blocks[one]], b: [b.blocks[other]] })
    })
  }
  if (contacts.length > 0) return verdictOf(groupsOf(contacts, a, b), a, b)
  return {
    verdict: distance(nearest.gap),
    confidence: null,
    your_lines: rangeOf(nearest.a),
    their_lines: rangeOf(nearest.b),
    is_whole: { yours: false, theirs: false },
  }
}

/** `yours` is `a`. */
function verdictOf(groups: readonly Group[], a: Digest, b: Digest): ComparedFile {
  const verdicts = groups.map((group) => groupVerdict(a, b, group))
  const same = groups.filter((_, at) => verdicts[at]?.verdict === 'agrees')
  const isWhole = (side: 'a' | 'b', { blocks }: Digest) =>
    same.reduce((count, group) => count + group[side].length, 0) === blocks.length
  const [strongest] = verdicts.toSorted(byStrength) as [LinesVerdict]
  return { ...strongest, is_whole: { yours: isWhole('a', a), theirs: isWhole('b', b) } }
}

function distance(gap: number): Verdict {
  return gap <= TOUCHING_MAX ? 'touching' : gap <= NEAR_MAX ? 'near' : 'far'
}

/**
 * Calls `visit` with all pairs of blocks that touch, with the nearest pair, and with some others. `one` and `other` are
 * indexes in `a` and `b`. `gap` is the number of unchanged lines between the blocks, at most 0 if they touch.
 */
function visitClosest(
  a: Digest,
  b: Digest,
  alignment: Alignment,
  visit: (one: number, other: number, gap: number) => void,
): void {
  const { shift } = alignment
  const [ours, theirs] = [a.hunks[alignment.a] as Hunk, b.hunks[alignment.b] as Hunk]
  let one = blockAround(a, ours, (b.blocks[theirs.blocks_at]?.start ?? 0) - shift)
  let other = blockAround(b, theirs, (a.blocks[ours.blocks_at]?.start ?? 0) + shift)
  while (one < ours.blocks_end && other < theirs.blocks_end) {
    const [mine, its] = [a.blocks[one] as Block, b.blocks[other] as Block]
    visit(one, other, Math.max(its.start - shift - mine.end, mine.start - its.end + shift))
    // Blocks of one side are at least one line apart, so the one that ends first touches no later block of the other side.
    if (mine.end < its.end - shift) one++
    else other++
  }
}

/** The block before the first one that ends at or after a line. Earlier blocks are further away. */
function blockAround({ blocks }: Digest, { blocks_at, blocks_end }: Hunk, line: number): number {
  const after = firstIndex(blocks, (block) => block.end >= line, { from: blocks_at, to: blocks_end })
  return Math.max(after - 1, blocks_at)
}

/** Blocks of both sides that touch, directly or through others. Git merges a group as a whole or reports a conflict. */
interface Group {
  a: Block[]
  b: Block[]
  /** Null if its contacts have different shifts, so that no line numbers apply to the whole group. */
  shift: number | null
  is_proved: boolean
}

function groupsOf(contacts: readonly Contact[], a: Digest, b: Digest): Group[] {
  // Contacts that share a block form a group. `parents` links each contact to another one of its group, and the root to itself.
  const parents = [...contacts.keys()]
  const rootOf = (index: number): number =>
    parents[index] === index ? index : rootOf(parents[index] as number)
  const lastOf = { a: new Map<number, number>(), b: new Map<number, number>() }
  for (const [index, contact] of contacts.entries()) {
    for (const side of ['a', 'b'] as const) {
      const earlier = lastOf[side].get(contact[side])
      if (earlier !== undefined) parents[rootOf(earlier)] = rootOf(index)
      lastOf[side].set(contact[side], index)
    }
  }
  const members = new Map<number, Contact[]>()
  for (const [index, contact] of contacts.entries()) addTo(members, rootOf(index), contact)
  return [...members.values()].map((all) => {
    const shift = all[0]?.shift as number
    return {
      a: blocksOf(all, 'a', a),
      b: blocksOf(all, 'b', b),
      shift: all.every((contact) => contact.shift === shift) ? shift : null,
      is_proved: all.some((contact) => contact.is_proved),
    }
  })
}

function blocksOf(contacts: readonly Contact[], side: 'a' | 'b', { blocks }: Digest): Block[] {
  const indexes = contacts.map((contact) => contact[side])
  return [...new Set(indexes)].sort((one, other) => one - other).map((index) => blocks[index] as Block)
}

function groupVerdict(a: Digest, b: Digest, group: Group): LinesVerdict {
  const lines = { your_lines: rangeOf(group.a), their_lines: rangeOf(group.b) }
  if (agrees(a, b, group)) return { verdict: 'agrees', confidence: null, ...lines }
  return { verdict: 'conflict', confidence: group.is_proved ? 'proved' : 'likely', ...lines }
}

function agrees(a: Digest, b: Digest, { a: ours, b: theirs, shift }: Group): boolean {
  if (shift === null) return false
  const first = Math.min((ours[0] as Block).start, (theirs[0] as Block).start - shift)
  const end = Math.max((ours.at(-1) as Block).end, (theirs.at(-1) as Block).end - shift)
  const mine = resultOf({ digest: a, blocks: ours }, { digest: b, blocks: theirs, shift }, { first, end })
  const its = resultOf(
    { digest: b, blocks: theirs },
    { digest: a, blocks: ours, shift: -shift },
    { first: first + shift, end: end + shift },
  )
  return mine.length === its.length && mine.every((word, index) => word === its[index])
}

interface ChangedBlocks {
  digest: Digest
  blocks: readonly Block[]
}

/**
 * What a side makes of the base lines from `first` to `end`, exclusive. Lines that it does not change are taken from the
 * blocks of the other side, which contain them because the other side changes them.
 */
function resultOf(
  side: ChangedBlocks,
  other: ChangedBlocks & { shift: number },
  { first, end }: { first: number; end: number },
): number[] {
  const result: number[] = []
  let [line, next] = [first, 0]
  const copyUntil = (until: number) => {
    for (; line < until; line++) {
      while ((other.blocks[next] as Block).end - other.shift <= line) next++
      const block = other.blocks[next] as Block
      result.push(other.digest.lines[block.lines_at + line + other.shift - block.start] as number)
    }
  }
  for (const block of side.blocks) {
    copyUntil(block.start)
    for (let at = block.added_at; at < block.added_end; at++) result.push(side.digest.added[at] as number)
    line = block.end
  }
  copyUntil(end)
  return result
}

/** The lines of the base from the first block to the last one; null without blocks. */
export function rangeOf(blocks: readonly Block[]): LineRange | null {
  const [first, last] = [blocks[0], blocks.at(-1) as Block]
  return first ? [first.start, Math.max(last.start, last.end - 1)] : null
}
