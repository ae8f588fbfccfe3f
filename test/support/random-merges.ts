/** Random files and edits, reproducible by seed. */
import type { Merge } from './merge-oracle.ts'

/** The lines of a file: all different, as in code, or a few that repeat. */
export type Material = 'different' | 'code' | 'few'

/** Mulberry32: numbers from 0 up to 1. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const CODE = ['', '', '}', '  }', '  return nil', '{', '  } else {'] as const
const FEW = ['a', 'b', 'c', 'd', 'e'] as const

/** `drifts`: the base branch changes between the two sides' bases. */
export function randomMerges(
  count: number,
  { material, drifts, seed }: { material: Material; drifts: boolean; seed: number },
): Merge[] {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  let made = 0
  const line = (): string => {
    made++
    if (material === 'few') return FEW[below(FEW.length)] as string
    if (material === 'different' || below(10) > CODE.length) return `  call something number ${made}`
    return below(8) === 0 ? `  name value ${below(30)}` : (CODE[below(CODE.length)] as string)
  }
  const linesOf = (length: number) => Array.from({ length }, line)
  const edit = (lines: readonly string[]) => {
    const edited = [...lines]
    for (let edits = 1 + below(3); edits > 0; edits--) {
      const at = below(edited.length + 1)
      // Sometimes a part is repeated, like copied code.
      const added = below(7) === 0 ? edited.slice(at, at + 3) : linesOf(below(4))
      edited.splice(at, below(3), ...added)
    }
    return edited
  }
  // A base branch that adds the last newline would change a line that nobody meant to change.
  const text = (lines: readonly string[]) =>
    lines.length === 0 ? '' : lines.join('\n') + (!drifts && below(10) === 0 ? '' : '\n')
  return Array.from({ length: count }, () => {
    const base = linesOf(5 + below(60))
    const main = drifts ? edit(base) : base
    const ours = edit(base)
    const theirs = !drifts && below(20) === 0 ? ours : edit(main)
    const [baseText, ourText] = [text(base), text(ours)]
    return {
      base: baseText,
      main: drifts ? text(main) : baseText,
      ours: ourText,
      theirs: theirs === ours ? ourText : text(theirs),
    }
  })
}
