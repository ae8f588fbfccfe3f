/** The alternatives that the braces of a glob stand for, as globs without braces. */

/** An invalid glob. `message` continues a sentence that starts with the name of the field. It does not repeat the glob. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}

const NUMBERS = /\{(-?\d{1,9})\.\.(-?\d{1,9})\}/y
const LETTERS = /\{([A-Za-z])\.\.([A-Za-z])\}/y

/** `{a,b}` or `{1..3}`. */
interface Group {
  /** The index after its closing brace. */
  end: number
  /** Where its branches begin and end, or the members of a range. */
  branches: [from: number, to: number][] | string[]
}

/**
 * The alternatives in the order in which a shell expands them. In these, braces and commas are plain characters. Throws GlobError
 * for more than `max` alternatives, before they are built, and for a class that is empty or not closed.
 */
export function expandBraces(source: string, max: number): string[] {
  const groups = groupsIn(source, max)
  const expand = (from: number, to: number): string[] => {
    let texts = ['']
    let rest = from
    for (let at = from; at < to; at++) {
      const group = groups.get(at)
      if (group === undefined) continue
      const before = source.slice(rest, at)
      const members = group.branches.flatMap((each) => (typeof each === 'string' ? each : expand(...each)))
      if (texts.length * members.length > max) throw tooManyAlternatives(max)
      texts = texts.flatMap((text) => members.map((member) => text + before + member))
      rest = group.end
      at = rest - 1
    }
    return texts.map((text) => text + source.slice(rest, to))
  }
  return expand(0, source.length)
}

/** The alternations by the index of their opening brace. Braces without a comma, or without their counterpart, form none. */
function groupsIn(source: string, max: number): Map<number, Group> {
  const groups = new Map<number, Group>()
  const open: { at: number; commas: number[] }[] = []
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at++
    else if (character === '[') at = classEnd(source, at)
    else if (character === ',') open.at(-1)?.commas.push(at)
    else if (character === '{') {
      const range = rangeAt(source, at, max)
      if (range) groups.set(at, range)
      else open.push({ at, commas: [] })
      if (range) at = range.end - 1
    } else if (character === '}') {
      const group = open.pop()
      if (group === undefined || group.commas.length === 0) continue
      const bounds = [group.at, ...group.commas, at]
      const branches = bounds
        .slice(1)
        .map((to, index): [number, number] => [(bounds[index] as number) + 1, to])
      groups.set(group.at, { end: at + 1, branches })
    }
  }
  return groups
}

/** The index of the bracket that closes the class at `open`. A class does not extend across a `/`. */
export function classEnd(source: string, open: number): number {
  const first = open + (/[!^]/.test(source[open + 1] ?? '') ? 2 : 1)
  if (source[first] === ']') {
    throw new GlobError(
      "has an empty character class; put characters between '[' and ']', or write '\\[' for a literal bracket",
    )
  }
  for (let at = first; at < source.length && source[at] !== '/'; at++) {
    if (source[at] === ']') return at
    if (source[at] === '\\' && source[at + 1] !== '/') at++
  }
  throw new GlobError(
    "has a character class that is not closed; add ']', or write '\\[' for a literal bracket",
  )
}

/** The brace range at `at`; null if there is none. Numbers keep leading zeros, as in a shell. */
function rangeAt(source: string, at: number, max: number): Group | null {
  NUMBERS.lastIndex = at
  LETTERS.lastIndex = at
  const numbers = NUMBERS.exec(source)
  const match = numbers ?? LETTERS.exec(source)
  if (match === null) return null
  const [text, from, to] = match as unknown as [string, string, string]
  const first = numbers ? Number(from) : from.charCodeAt(0)
  const last = numbers ? Number(to) : to.charCodeAt(0)
  const length = Math.abs(last - first) + 1
  if (length > max) throw tooManyAlternatives(max)
  const width = [from, to].some((each) => /^-?0\d/.test(each)) ? Math.max(from.length, to.length) : 0
  const members = Array.from({ length }, (_, index) => {
    const value = first <= last ? first + index : first - index
    // Between `Z` and `a` lie a bracket and a backslash, which are letters of a range and open no class.
    return numbers ? padded(value, width) : String.fromCharCode(value).replace(/[[\\]/, '\\$&')
  })
  return { end: at + text.length, branches: members }
}

function padded(value: number, width: number): string {
  const sign = value < 0 ? '-' : ''
  return sign + String(Math.abs(value)).padStart(width - sign.length, '0')
}

function tooManyAlternatives(max: number): GlobError {
  return new GlobError(`must expand to at most ${max} brace alternatives; list fewer, or use a wildcard`)
}
