/** Sets of characters for classes such as `[a-z]`, over all of Unicode. */

type Range = readonly [low: number, high: number]

/** Sorted, disjoint, inclusive ranges of code points. */
export type CharSet = readonly Range[]

const LAST = 0x10ffff
const SPACE = 0x20

/** Characters that a name in a git path cannot contain: NUL, the separator, and surrogates. */
const NEVER: CharSet = [
  [0, 0],
  [0x2f, 0x2f],
  [0xd800, 0xdfff],
]

/** Characters for example paths, the preferred first. */
const PREFERRED = pointsOf('xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-')

export function pointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number)
}

/** The characters in `ranges` (any order, may overlap), or all others if `negated`. */
export function charSet(ranges: readonly Range[], negated: boolean): CharSet {
  return outside([...(negated ? ranges : outside(ranges)), ...NEVER])
}

function outside(ranges: readonly Range[]): Range[] {
  const gaps: Range[] = []
  let next = 0
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (next < low) gaps.push([next, low - 1])
    next = Math.max(next, high + 1)
  }
  if (next <= LAST) gaps.push([next, LAST])
  return gaps
}

/** Every character that a name can contain. */
export const ANYTHING = charSet([], true)

export function has(set: CharSet, point: number): boolean {
  for (const [low, high] of set) if (point <= high) return low <= point
  return false
}

/** The preferred of the characters that all sets have; null if there is none. */
export function commonPoint(sets: readonly CharSet[]): number | null {
  const isCommon = (point: number) => sets.every((set) => has(set, point))
  const preferred = PREFERRED.find(isCommon)
  if (preferred !== undefined) return preferred
  // What all have in common begins where a range of one of them begins.
  const others = sets.flatMap((set) => set.flatMap(([low]) => [Math.max(low, SPACE + 1), low]))
  const common = others.filter(isCommon).sort((a, b) => a - b)
  return common.find((point) => point > SPACE) ?? common[0] ?? null
}
