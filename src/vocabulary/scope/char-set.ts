/** Sets of characters for classes such as `[a-z]`, over all of Unicode. */

const DOT = 0x2e
const LAST = 0x10ffff

/** Sorted, disjoint, inclusive code point ranges, flat: `[low, high, low, high, …]`. */
export type CharSet = readonly number[]

/** Characters that a name in a git path cannot contain: NUL, the separator, and surrogates. */
const NEVER = [
  [0, 0],
  [0x2f, 0x2f],
  [0xd800, 0xdfff],
] as const

/** Bits in the result of `shared`: both sets have the dot; both have some other character. */
export const DOTS = 1
export const OTHERS = 2

/** Characters for example paths, the preferred first. */
const PREFERRED = [...'xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-'].map(
  (character) => character.codePointAt(0) as number,
)

/** The characters in `ranges` (any order, may overlap), or all others if `negated`. */
export function charSet(ranges: readonly (readonly [number, number])[], negated: boolean): CharSet {
  if (negated) return complement(merge([...ranges, ...NEVER]))
  return complement(merge([...gaps(merge(ranges)), ...NEVER]))
}

/** Whether `set` contains the code point. */
export function has(set: CharSet, point: number): boolean {
  let low = 0
  let high = set.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (point < (set[2 * middle] as number)) high = middle - 1
    else if (point > (set[2 * middle + 1] as number)) low = middle + 1
    else return true
  }
  return false
}

/** What two sets have in common: a combination of `DOTS` and `OTHERS`, or 0. */
export function shared(a: CharSet, b: CharSet): number {
  let kinds = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const low = Math.max(a[i] as number, b[j] as number)
    const high = Math.min(a[i + 1] as number, b[j + 1] as number)
    if (low <= DOT && DOT <= high) kinds |= DOTS
    if (low < high || (low === high && low !== DOT)) kinds |= OTHERS
    if ((a[i + 1] as number) < (b[j + 1] as number)) i += 2
    else j += 2
  }
  return kinds
}

/** The preferred code point of those that both sets have, the dot excluded. The sets must have one in common. */
export function readable(a: CharSet, b: CharSet): number {
  for (const point of PREFERRED) if (has(a, point) && has(b, point)) return point
  let fallback = -1
  // A range that both sets have starts where a range of one of them starts. A range that starts with the dot has no other
  // character, because the next one is `/`, which no set has.
  for (const set of [a, b]) {
    for (let i = 0; i < set.length; i += 2) {
      for (const point of [set[i] as number, Math.max(set[i] as number, 0x21)]) {
        if (point === DOT || !has(a, point) || !has(b, point)) continue
        if (point > 0x20) return point
        fallback = point
      }
    }
  }
  return fallback
}

/** Every character that a name can contain. */
export const ANYTHING: CharSet = charSet([], true)

function merge(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = []
  for (const [low, high] of [...ranges].sort((x, y) => x[0] - y[0])) {
    const last = merged.at(-1)
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else merged.push([low, high])
  }
  return merged
}

function gaps(merged: readonly (readonly [number, number])[]): [number, number][] {
  const between: [number, number][] = []
  let next = 0
  for (const [low, high] of merged) {
    if (next < low) between.push([next, low - 1])
    next = high + 1
  }
  if (next <= LAST) between.push([next, LAST])
  return between
}

function complement(merged: readonly (readonly [number, number])[]): CharSet {
  return gaps(merged).flat()
}
