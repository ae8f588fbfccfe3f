/** Looks over a JSON text before it is parsed, for what `JSON.parse` passes over in silence or takes long for (contract §3). */
import { formatPath } from '../../base/parse.ts'

/** Our bodies have three levels; V8 takes a tenth of a second for a megabyte of brackets. */
const DEPTH_MAX = 32
/** Our objects know fewer than 20 names, and each unknown one is compared with those. */
const NAMES_MAX = 100

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

export interface ShapeProblem {
  param?: string
  /** Begins with what it is about. */
  message: string
}

/**
 * What is wrong with the shape of `json`, or undefined: nesting that is too deep, an object with too many names, or with one
 * name twice. Reads the text once, without recursion; whether it is JSON at all, it does not say.
 */
export function shapeProblem(json: string): ShapeProblem | undefined {
  const open: (Set<string> | null)[] = []
  /** Those of the object that is open; null in a list. */
  let names: Set<string> | null = null
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(json, at)
      if (names !== null && isName(json, end)) {
        const problem = addName(names, textOf(json.slice(at + 1, end)))
        if (problem) return problem
      }
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (open.push(names) > DEPTH_MAX) return { message: `body: is nested more than ${DEPTH_MAX} deep` }
      names = char === OPEN_OBJECT ? new Set() : null
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) {
      names = open.pop() ?? null
    }
  }
  return undefined
}

function addName(names: Set<string>, name: string): ShapeProblem | undefined {
  if (names.has(name)) {
    const param = formatPath([name])
    return { param, message: `${param}: stands twice in one object; send it once` }
  }
  names.add(name)
  return names.size > NAMES_MAX
    ? { message: `body: one object in it has more than ${NAMES_MAX} names` }
    : undefined
}

/** The index of the quote that ends the string which begins at `start`; past the text where there is none. */
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

/** Whether a colon follows the string that ends at `end`. */
function isName(json: string, end: number): boolean {
  let next = end + 1
  while (json.charCodeAt(next) <= 0x20) next += 1
  return json.charCodeAt(next) === COLON
}

/** Two spellings of one name are one name: `"p\u0061ths"` is `"paths"`. */
function textOf(spelt: string): string {
  if (!spelt.includes('\\')) return spelt
  try {
    return JSON.parse(`"${spelt}"`)
  } catch {
    return spelt
  }
}
