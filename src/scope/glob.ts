/** Globs as people and agents write them: read, checked and matched exactly (contract §6, limits of §4). */

import { type Budget, unbounded } from '../base/budget.ts'
import {
  type Alternative,
  alternativeOf,
  fileAlternative,
  plainAlternative,
  subtreeAlternative,
} from './alternative.ts'
import { type Expansion, expandBraces } from './braces.ts'
import { GlobError } from './glob-error.ts'
import { formsOf, NAMED, PARENT } from './segment-forms.ts'
import { type CharClass, SLASH, tokenise } from './tokens.ts'

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
  /** Null until needed, since braces can make 64 long ones of a short text. Read them by `alternativesOf`. */
  alternatives: readonly Alternative[] | null
  /** What they are built of. */
  readonly syntax: Syntax | null
}

interface Syntax {
  readonly expansion: Expansion
  readonly classes: readonly CharClass[]
}

/**
 * Globs that were read lately, with what was built to compare them: the same ones come again with every check. Only
 * small ones are worth the memory, counted in characters of all alternatives; when they are too many, all are dropped.
 */
const KNOWN = new Map<string, Glob>()
const KNOWN_LENGTH_MAX = 500_000
const KEPT_LENGTH_MAX = 256
let knownLength = 0

/** What reading costs, in units: a plain path or one that is known, and any other beside one for each character. */
const READING = 4
const READING_ANEW = 100

const SPECIAL = /[*?[{\\]/
const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)/

/** Reads a glob. Spends what takes a hundred units, and one per character. Throws GlobError when the syntax or a limit forbids it. */
export function parseGlob(source: string, budget: Budget = unbounded()): Glob {
  budget.remaining -= READING
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
  if (!SPECIAL.test(source) && !UNTIDY.test(source)) return treeGlob(source, true)
  let glob = KNOWN.get(source)
  if (glob === undefined) {
    budget.remaining -= READING_ANEW + source.length
    glob = readSpecial(source)
    keep(glob)
  }
  return glob
}

function keep(glob: Glob): void {
  const length = countOf(glob) * glob.source.length
  if (length > KEPT_LENGTH_MAX) return
  knownLength += length
  if (knownLength > KNOWN_LENGTH_MAX) {
    KNOWN.clear()
    knownLength = length
  }
  KNOWN.set(glob.source, glob)
}

/** Counted as all texts are: a character of two UTF-16 units is one. */
function isLonger(source: string, max: number): boolean {
  return source.length > max && [...source].length > max
}

function readSpecial(source: string): Glob {
  const { tokens, classes } = tokenise(source, MAX_ALTERNATIVES)
  const expansion = expandBraces(tokens, MAX_ALTERNATIVES)
  const isPlain = expansion.whole.count === 1 && expansion.read(0).every(isLiteral)
  if (!isPlain && isLonger(source, MAX_WILD_LENGTH)) {
    throw new GlobError(
      `A path with wildcards may have at most ${MAX_WILD_LENGTH} characters; split it into several paths.`,
    )
  }
  const forms = formsOf(expansion.whole)
  if (forms & PARENT) {
    throw new GlobError("A path cannot contain '..'; write it from the root of the repository.")
  }
  if (!(forms & NAMED)) throw new GlobError("This names no path; write '**' for the whole repository.")
  return { source, is_plain: isPlain, alternatives: null, syntax: { expansion, classes } }
}

function isLiteral(token: number): boolean {
  return token >= 0 || token === SLASH
}

/** How many alternatives the braces of a glob make at most: 64. */
export function countOf({ syntax }: Glob): number {
  return syntax?.expansion.whole.count ?? 1
}

/**
 * The alternatives of a glob, at least one. Building them spends a unit or a few per token; none with
 * `budget.remaining` below 0 means that it gave up.
 */
export function alternativesOf(glob: Glob, budget: Budget): readonly Alternative[] {
  glob.alternatives ??= build(glob.syntax as Syntax, budget)
  return glob.alternatives ?? []
}

function build({ expansion, classes }: Syntax, budget: Budget): Alternative[] | null {
  const alternatives: Alternative[] = []
  for (let which = 0; which < expansion.whole.count; which++) {
    const alternative = alternativeOf(expansion.read(which), classes, budget)
    if (budget.remaining < 0) return null
    if (alternative !== null) alternatives.push(alternative)
  }
  return alternatives
}

/** A directory that all it matches lies in, told from what comes before the first wildcard or brace; '' is the root. */
export function literalDir({ source, syntax }: Glob): string {
  if (syntax === null) return source
  const [head] = syntax.expansion.whole.runs as [readonly number[]]
  const wild = head.findIndex((token) => !isLiteral(token))
  const literal = wild === -1 ? head : head.slice(0, wild)
  const names = literal.slice(0, literal.lastIndexOf(SLASH) + 1)
  return alternativeOf(names, [], unbounded())?.dir ?? ''
}

/**
 * The path of a file as git gives it, such as one that a pull request changes: every character stands for itself, and
 * nothing lies beneath it.
 */
export function fileGlob(path: string): Glob {
  return { source: path, is_plain: true, alternatives: [fileAlternative(path)], syntax: null }
}

/** The path itself and everything beneath it, whatever characters it holds. `is_plain`: whether it may be ignored. */
export function treeGlob(path: string, is_plain: boolean): Glob {
  return { source: path, is_plain, alternatives: [plainAlternative(path)], syntax: null }
}

/** Everything beneath the path, whatever characters it holds; '' is the root. */
export function subtreeGlob(path: string): Glob {
  return { source: path, is_plain: false, alternatives: [subtreeAlternative(path)], syntax: null }
}
