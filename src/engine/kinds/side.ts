/** The sides of a comparison: their changed files, authors and the issues that they close (docs/contract/lines.md#authors). */
import type { Steps } from '../../vocabulary/clock.ts'
import { type Fingerprint, fingerprintOf } from '../lines/added-lines.ts'
import { type DigestedFile, type FileIndex, fileKey, indexFiles, type SideFile } from '../lines/change.ts'
import type { NoiseRules } from '../lines/noise.ts'
import { manifestPlaces, type NumberRules, type Taking, takingOf } from '../lines/taken.ts'

export interface Author {
  /** The GitHub login; null if unknown. */
  login: string | null
  /** The actor of declared work; null for a pull request, the login of its caller for a check. */
  actor: string | null
  /** The first person who is assigned to its pull request, other than the author; null if nobody is. */
  assignee: string | null
  /** The login is that of a coding agent, which works for many people. */
  is_shared: boolean
}

/** What is known of a side without its files. */
export interface Intent {
  /** The issues that it is on: the one that was sent with it, and those that its pull request closes. */
  issues: ReadonlySet<number>
  /** Those, and the issues that declared work names. See `closingIssues`. */
  closes: ReadonlySet<number>
  author: Author
}

/** The changes of one activity, of several activities of one branch, or of the input of a check. */
export interface Side extends Intent {
  files: readonly SideFile[]
}

/** A side whose changed files are known with their digests. */
export interface DigestedSide extends Intent {
  files: readonly DigestedFile[]
  /** The `fileKey` of all its files that are neither ignored nor noise. `files` may be those that others change too. */
  counted: ReadonlySet<string>
  /** The places of its manifests, which are noise, but not if both make one change. */
  manifests: ReadonlySet<string>
  fingerprint: Fingerprint
  taking: Taking
}

/** Adds to a side its files with their digests, its fingerprint, and what it takes. */
export function* digestedSide(
  side: Intent,
  files: readonly DigestedFile[],
  { noise, numbers }: { noise: NoiseRules; numbers: NumberRules },
): Steps<DigestedSide> {
  const fingerprint = yield* fingerprintOf(files, noise)
  yield
  const counted = new Set<string>()
  for (const file of files) {
    if (!numbers.isIgnored(file.path)) counted.add(fileKey(file))
    yield
  }
  const manifests = new Set(manifestPlaces(files, numbers))
  return { ...side, files, counted, manifests, fingerprint, taking: takingOf(files) }
}

/** A side with its files by name, which are those that other sides can have too. */
export interface IndexedSide extends DigestedSide {
  index: FileIndex<DigestedFile>
}

/** `names`: those that other sides can have too. */
export function* indexedSide(
  side: Intent,
  files: readonly DigestedFile[],
  { names, rules }: { names: { has(name: string): boolean }; rules: Parameters<typeof digestedSide>[2] },
): Steps<IndexedSide> {
  const index = new Map([...indexFiles(files)].filter(([name]) => names.has(name)))
  return { ...(yield* digestedSide(side, files, rules)), index }
}

/**
 * Whether both have the same GitHub user. A coding agent works for many people: then they also need the same actor if both are
 * declared, else the same assignee.
 */
export function isSameAuthor(one: Author, other: Author): boolean {
  if (one.login === null || one.login.toLowerCase() !== other.login?.toLowerCase()) return false
  if (!one.is_shared) return true
  if (one.actor !== null && other.actor !== null) return one.actor === other.actor
  return one.assignee !== null && one.assignee === other.assignee
}

const UNKNOWN_AUTHOR: Author = { login: null, actor: null, assignee: null, is_shared: false }

/** Several activities of one branch as one side. */
export function joinSides(sides: readonly Side[]): Side {
  return {
    files: sides.flatMap(({ files }) => files),
    issues: new Set(sides.flatMap(({ issues }) => [...issues])),
    closes: new Set(sides.flatMap(({ closes }) => [...closes])),
    author: sides[0]?.author ?? UNKNOWN_AUTHOR,
  }
}
