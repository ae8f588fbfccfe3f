/** Splits what stands in brackets at its commas. Pure. */

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' }
const LENGTH_MAX = 4_000
/** The maximum number of brackets around a place in the list. */
const DEPTH_MAX = 30

/** A list in brackets, and what follows it. */
export interface ArgumentList {
  items: string[]
  end: number
}

/**
 * The items of the list whose bracket is at `start`; null if it does not end. `with_types`: `<` opens a list of types, as
 * in a signature. Strings may hold brackets and commas.
 */
export function argumentListAt(text: string, start: number, with_types: boolean): ArgumentList | null {
  const open: string[] = []
  const items: string[] = []
  let from = start + 1
  for (let at = start; at < Math.min(text.length, start + LENGTH_MAX); at++) {
    const character = text[at] as string
    if (character === '"' || character === "'" || character === '`') {
      const end = text.indexOf(character, at + 1)
      // A lifetime of Rust has no second quote near.
      if (end !== -1 && (character !== "'" || !/^'\w+[\s,>&)]/.test(text.slice(at)))) at = end
    } else if (isOpening(character, with_types)) {
      if (open.length === DEPTH_MAX) return null
      open.push(CLOSING[character] as string)
    } else if (character === open.at(-1) && !isArrow(text, at)) {
      open.pop()
      if (open.length > 0) continue
      items.push(text.slice(from, at))
      return { items: items.map((item) => item.trim()).filter(Boolean), end: at + 1 }
    } else if (character === ',' && open.length === 1) {
      items.push(text.slice(from, at))
      from = at + 1
    }
  }
  return null
}

function isOpening(character: string, with_types: boolean): boolean {
  return character === '<' ? with_types : character in CLOSING
}

function isArrow(text: string, at: number): boolean {
  return text[at] === '>' && (text[at - 1] === '=' || text[at - 1] === '-')
}
