/** Globs as people and agents write them: read, checked and matched exactly (contract §6, limits of §4). */

import {
  type Alternative,
  alternativeOf,
  fileAlternative,
  plainAlternative,
  subtreeAlternative,
} from './alternative.ts'
import { expandBraces } from './braces.ts'
import { type Budget, comparing, unbounded } from './frontier.ts'
import { GlobError } from './glob-error.ts'
import { matchesAlternative } from './intersect.ts'
import { SLASH, tokenise } from './tokens.ts'

export { GlobError }

const MAX_LENGTH = 1024
const MAX_WILD_LENGTH = 512
const MAX_ALTERNATIVES = 64

/** `**`, `src/api`, `app/{a,b}/*.ts`: matches a path when one of its alternatives does. */
export interface Glob {
  /** As it was written. */
  readonly source: string
  /** It has no wildcard and no alternation: it names one file or directory, and covers everything beneath it. */
  readonly is_plain: boolean
  /** At least one. */
  readonly alternatives: readonly Alternative[]
  /** What reading it took, in units of a budget: braces can make 64 long alternatives of a short text. */
  readonly cost: number
}

/** Globs that were read lately, with what was built to compare them: the same ones come again with every check. Only small ones are worth the memory. */
const KNOWN = new Map<string, Glob>()
const KNOWN_MAX = 2000
const KEPT_LENGTH = 128
const KEPT_ALTERNATIVES = 4

const SPECIAL = /[*?[{\\]/
const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)/

/** Reads a glob. Throws GlobError when the syntax or a limit forbids it. */
export function parseGlob(source: string): Glob {
  if (isLonger(source, MAX_LENGTH)) {
    throw new GlobError(`A path may have at most ${MAX_LENGTH} characters; name a directory above it.`)
  }
  if (source.charCodeAt(0) === 0x21) {
    throw new GlobError(
      "A path cannot begin with '!'; list what is touched, or write '\\!' for a plain exclamation mark.",
    )
  }
  if (!source.isWellFormed()) {
    throw new GlobError('A path has to be valid Unicode; this one holds half a character.')
  }
  if (SPECIAL.test(source) || UNTIDY.test(source)) {
    const known = KNOWN.get(source)
    if (known !== undefined) return known
    const glob = parseWild(source)
    if (source.length <= KEPT_LENGTH && glob.alternatives.length <= KEPT_ALTERNATIVES) {
      if (KNOWN.size === KNOWN_MAX) KNOWN.clear()
      KNOWN.set(source, glob)
    }
    return glob
  }
  return { source, is_plain: true, alternatives: [plainAlternative(source)], cost: 1 }
}

/** Counted as all texts are: a character of two UTF-16 units is one. */
function isLonger(source: string, max: number): boolean {
  return source.length > max && [...source].length > max
}

function parseWild(source: string): Glob {
  const { tokens, classes } = tokenise(source, MAX_ALTERNATIVES)
  const expansion = expandBraces(tokens, MAX_ALTERNATIVES)
  const isPlain = expansion.count === 1 && expansion.read(0).every((token) => token >= 0 || token === SLASH)
  if (!isPlain && isLonger(source, MAX_WILD_LENGTH)) {
    throw new GlobError(
      `A path with wildcards may have at most ${MAX_WILD_LENGTH} characters; split it into several paths.`,
    )
  }
  const alternatives: Alternative[] = []
  for (let which = 0; which < expansion.count; which++) {
    const alternative = alternativeOf(() => expansion.read(which), classes)
    if (alternative !== null) alternatives.push(alternative)
  }
  if (alternatives.length === 0) {
    throw new GlobError("This names no path; write '**' for the whole repository.")
  }
  return { source, is_plain: isPlain, alternatives, cost: 2 * expansion.count * comparing(expansion.length) }
}

/**
 * The path of a file as git gives it, such as one that a pull request changes: every character stands for itself, and
 * nothing lies beneath it.
 */
export function fileGlob(path: string): Glob {
  return { source: path, is_plain: true, alternatives: [fileAlternative(path)], cost: 1 }
}

/** The path itself and everything beneath it, whatever characters it holds. `is_plain`: whether it may be ignored. */
export function treeGlob(path: string, is_plain: boolean): Glob {
  return { source: path, is_plain, alternatives: [plainAlternative(path)], cost: 1 }
}

/** Everything beneath the path, whatever characters it holds; '' is the root. */
export function subtreeGlob(path: string): Glob {
  return { source: path, is_plain: false, alternatives: [subtreeAlternative(path)], cost: 1 }
}

/**
 * Whether the glob matches exactly this path, such as `src/a.ts`. Polynomial in both lengths; spends one unit per
 * alternative and per pair of states looked at. False with `budget.remaining` below 0 means that it gave up.
 */
export function matchesPath(glob: Glob, path: string, budget: Budget = unbounded()): boolean {
  return glob.alternatives.some((alternative) => matchesAlternative(alternative, path, budget))
}
