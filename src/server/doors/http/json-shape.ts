/** Checks a JSON text before it is parsed: `JSON.parse` accepts duplicate names and is slow on deep nesting (docs/contract/requests.md#bodies). */
import { formatPath } from '../../../vocabulary/contract/parse.ts'

/** Valid bodies have three levels. V8 takes 0.1 s to parse a megabyte of brackets. */
const DEPTH_MAX = 32
/** The schemas have fewer than 20 names per object, and each unknown name is compared with all of them. */
const NAMES_MAX = 100

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

export interface ShapeProblem {
  param?: string
  /** Begins with `param`, or with `body`. */
  message: string
}

/**
 * Returns the first problem: nesting that is too deep, or an object with too many names or a duplicate name. Scans the
 * text once, without recursion, and does not check the rest of the syntax.
 */
export function shapeProblem(json: string): ShapeProblem | undefined {
  const open: (Set<string> | null)[] = []
  /** The names of the innermost object; null inside an array. */
  let names: Set<string> | null = null
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(json, at)
      if (names !== null && isName(json, end)) {
        const problem = addName(names, decoded(json.slice(at + 1, end)))
        if (problem) return problem
      }
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (open.push(names) > DEPTH_MAX)
        return { message: `body: must not be nested more than ${DEPTH_MAX} levels deep` }
      names = char === OPEN_OBJECT ? new Set() : null
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      names = open.pop() ?? null
    }
  }
  return undefined
}

function addName(names: Set<string>, name: string): ShapeProblem | undefined {
  if (names.has(name)) {
    const param = formatPath([name])
    return { param, message: `${param}: appears twice in the same object; send it once` }
  }
  names.add(name)
  return names.size > NAMES_MAX
    ? { message: `body: an object must have at most ${NAMES_MAX} fields` }
    : undefined
}

/** The index of the quote that closes the string at `start`, or the length of the text. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, at: number): boolean {
  let count = 0
  while (json.charCodeAt(at - 1 - count) === BACKSLASH) count += 1
  return count % 2 === 1
}

/** Whether the string that ends at `end` is followed by a colon. */
function isName(json: string, end: number): boolean {
  let next = end + 1
  while (json.charCodeAt(next) <= 0x20) next += 1
  return json.charCodeAt(next) === COLON
}

/** Decodes escapes: `"p\u0061ths"` is the same name as `"paths"`. */
function decoded(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`)
  } catch {
    return raw
  }
}
