/** Patterns of letters, which both a path of names and a name of characters are: whether one matches, and what two have in common. */

/** What each letter has to match; null stands for any number of letters. */
export type Pattern<Part> = readonly (Part | null)[]

/** Whether the pattern matches the letters. Takes at most as many steps as the product of both lengths. */
export function matches<Part, Letter>(
  pattern: Pattern<Part>,
  letters: readonly Letter[],
  isMatch: (part: Part, letter: Letter) => boolean,
): boolean {
  let part = 0
  // Where to go on after a mismatch: only the last null needs to take more letters.
  let [retry_part, retry_letter] = [-1, 0]
  for (let letter = 0; letter < letters.length; ) {
    const wanted = pattern[part]
    if (wanted === null) {
      part++
      if (part === pattern.length) return true
      ;[retry_part, retry_letter] = [part, letter]
    } else if (wanted !== undefined && isMatch(wanted, letters[letter] as Letter)) {
      part++
      letter++
    } else if (retry_part >= 0) {
      retry_letter++
      ;[part, letter] = [retry_part, retry_letter]
    } else return false
  }
  while (pattern[part] === null) part++
  return part === pattern.length
}

export interface MeetOptions<Part, Letter> {
  /** A letter that matches both; null if there is none. A part is null where any letter matches. `at`: the letters before it, at most `least`. */
  common(one: Part | null, other: Part | null, at: number): Letter | null
  /** The minimum number of letters. */
  least: number
}

/**
 * Letters that both patterns match, with as few for each null as a search that tries that first finds; null if there are none.
 * Visits each pair of positions once.
 */
export function meet<Part, Letter>(
  a: Pattern<Part>,
  b: Pattern<Part>,
  { common, least }: MeetOptions<Part, Letter>,
): Letter[] | null {
  const letters: Letter[] = []
  const visited = new Uint8Array((a.length + 1) * (b.length + 1) * (least + 1))
  /** Whether there are common letters from `i` and `j` on, after `at` others. Adds them, the last one first. */
  const meetFrom = (i: number, j: number, at: number): boolean => {
    const state = (i * (b.length + 1) + j) * (least + 1) + at
    if (visited[state] === 1) return false
    visited[state] = 1
    const [one, other] = [a[i], b[j]]
    if (one === null && meetFrom(i + 1, j, at)) return true
    if (other === null && meetFrom(i, j + 1, at)) return true
    if (one === undefined || other === undefined) return one === other && at === least
    const letter = common(one, other, at)
    if (letter === null) return false
    const [next_i, next_j] = [one === null ? i : i + 1, other === null ? j : j + 1]
    if (!meetFrom(next_i, next_j, Math.min(at + 1, least))) return false
    letters.push(letter)
    return true
  }
  return meetFrom(0, 0, 0) ? letters.reverse() : null
}
