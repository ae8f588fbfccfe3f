/** Globs: parsing and validation (docs/contract/overlap.md#paths). */
import { processorStopwatch } from '../clock.ts'
import {
  type Alternative,
  alternativeOf,
  fileAlternative,
  matchesAlternative,
  plainAlternative,
  subtreeAlternative,
} from './alternative.ts'
import { expandBraces, GlobError } from './braces.ts'

export { GlobError }

const MAX_LENGTH = 1024
const MAX_WILD_LENGTH = 512
const MAX_ALTERNATIVES = 64

/** `**`, `src/api`, `app/{a,b}/*.ts`. A glob matches a path if one of its alternatives does. */
export interface Glob {
  /** The original text. */
  readonly source: string
  /** It has no wildcard and no alternation: it matches one path and everything beneath it. */
  readonly is_plain: boolean
  readonly texts: readonly string[]
  /** Null until needed, because braces can expand a short text into 64 long ones. Use `alternativesOf`. */
  alternatives: readonly Alternative[] | null
}

/**
 * A cache of parsed globs, because checks compare the same globs again and again. Lengths are in characters, added up over
 * all alternatives. Globs above `ENTRY_LENGTH_MAX` are not cached. Above `CACHE_LENGTH_MAX`, the cache is cleared.
 */
const CACHE = new Map<string, Glob>()
const CACHE_LENGTH_MAX = 500_000
const ENTRY_LENGTH_MAX = 256
let cacheLength = 0

const SPECIAL = /[*?[{\\]/
const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)/

/** Parses a glob. Throws GlobError if it is invalid or over a limit. */
export function parseGlob(source: string): Glob {
  if (isLonger(source, MAX_LENGTH)) {
    throw new GlobError(`must have at most ${MAX_LENGTH} characters; use a parent directory`)
  }
  if (source.charCodeAt(0) === 0x21) {
    throw new GlobError(
      "must not start with '!'; list the paths to include, or write '\\!' for a literal exclamation mark",
    )
  }
  if (!source.isWellFormed()) {
    throw new GlobError('must be valid Unicode, without unpaired surrogates')
  }
  if (!SPECIAL.test(source) && !UNTIDY.test(source))
    return { source, is_plain: true, texts: [source], alternatives: [plainAlternative(source)] }
  if (isSubtree(source)) {
    return {
      source,
      is_plain: false,
      texts: [source],
      alternatives: [subtreeAlternative(source.slice(0, -3))],
    }
  }
  let glob = CACHE.get(source)
  if (glob === undefined) {
    glob = parseSpecial(source)
    addToCache(glob)
  }
  return glob
}

/** Whether a valid glob is a path or `path/**`, which are compared without a search. */
export function isSimple(source: string): boolean {
  return !SPECIAL.test(source) || isSubtree(source)
}

/** The most frequent glob with a wildcard, `src/api/**`, which needs no parsing. */
function isSubtree(source: string): boolean {
  if (!source.endsWith('/**') || source.length > MAX_WILD_LENGTH) return false
  const dir = source.slice(0, -3)
  return !SPECIAL.test(dir) && !UNTIDY.test(dir)
}

function addToCache(glob: Glob): void {
  const length = glob.texts.length * glob.source.length
  if (length > ENTRY_LENGTH_MAX) return
  cacheLength += length
  if (cacheLength > CACHE_LENGTH_MAX) {
    CACHE.clear()
    cacheLength = length
  }
  CACHE.set(glob.source, glob)
}

/** Length in code points. */
function isLonger(source: string, max: number): boolean {
  return source.length > max && [...source].length > max
}

/** A segment that is `..`; and any name, if there is no such segment. Escapes of dots and slashes are removed before. */
const PARENT = /(?:^|\/)\.\.(?:\/|$)/
const NAMED = /[^./]|\.\./
const WILDCARD = /[*?[]/

function parseSpecial(source: string): Glob {
  const texts = expandBraces(source, MAX_ALTERNATIVES)
  const is_plain = texts.length === 1 && !WILDCARD.test(source.replace(/\\./g, ''))
  if (!is_plain && isLonger(source, MAX_WILD_LENGTH)) {
    throw new GlobError(
      `must have at most ${MAX_WILD_LENGTH} characters, because it has wildcards; split it into several paths`,
    )
  }
  const forms = texts.map((text) =>
    text.replace(/\\([\\./])/g, (pair, escaped) => (escaped === '\\' ? pair : escaped)),
  )
  if (forms.some((form) => PARENT.test(form))) {
    throw new GlobError("must not contain '..'; write it from the root of the repository")
  }
  if (!forms.some((form) => NAMED.test(form)))
    throw new GlobError("matches no path; write '**' for the whole repository")
  return { source, is_plain, texts, alternatives: null }
}

/**
 * The directory that contains every match of a valid glob: what stands before its first wildcard, brace or escape. The path
 * itself if it has none; '' is the root. Parses nothing.
 */
export function literalDir(source: string): string {
  const wild = source.search(SPECIAL)
  const head = wild === -1 ? source : source.slice(0, source.lastIndexOf('/', wild) + 1)
  return head
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')
}

/** The alternatives of a glob: at least one. */
export function alternativesOf(glob: Glob): readonly Alternative[] {
  glob.alternatives ??= glob.texts.flatMap((text) => alternativeOf(text) ?? [])
  return glob.alternatives
}

/**
 * Matches exactly one file, such as one that a pull request changes. Every character is literal, and nothing beneath the
 * path matches.
 */
export function fileGlob(path: string): Glob {
  return { source: path, is_plain: true, texts: [path], alternatives: [fileAlternative(path)] }
}

/** Whether the glob matches the path `src/a.ts` itself. Takes time in proportion to both lengths. */
export function matchesPath(glob: Glob, path: string): boolean {
  return alternativesOf(glob).some((alternative) => matchesAlternative(alternative, path))
}

/** More than a list of 3,000 names of 100 characters takes, or of 200 ordinary globs. */
const NAMES_MS = 200

/**
 * Whether one of the globs of a settings file matches a name, such as that of a branch. The work is bounded, because whoever
 * installs the App writes such a file: globs after that are ignored.
 */
export function matchesName(globs: readonly string[], name: string): boolean {
  const used_ms = processorStopwatch()
  return globs.some((glob) => used_ms() < NAMES_MS && matchesPath(parseGlob(glob), name))
}
