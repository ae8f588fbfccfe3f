/** The distinct paths of many records, indexed by directory: which of them share a path with those of one scope. */
import type { Deadline } from '../vocabulary/deadline.ts'
import { firstIndex } from '../vocabulary/lists.ts'
import type { Alternative } from '../vocabulary/scope/alternative.ts'
import { fileGlob, type Glob, isSimple, literalDir, parseGlob } from '../vocabulary/scope/glob.ts'
import {
  dirsAround,
  dirsBeneath,
  type Exclusion,
  overlapsAny,
  type PathSet,
} from '../vocabulary/scope/path-set.ts'

/** One distinct path, and the records that have it. It is parsed when it is compared. */
export interface PathEntry<Owner> {
  readonly source: string
  /** The name of a changed file, and no glob. */
  readonly is_file: boolean
  /** Replaced when one leaves, so that a reader that pauses misses no other. */
  owners: Owner[]
}

export interface NearOptions<Owner> {
  deadline: Pick<Deadline, 'isOver'>
  /** A plain glob whose path it excludes is left out. */
  ignore: Exclusion
  /**
   * A text for the owners of a path: of those that are expensive to compare, the one with the greatest text comes first. Null if
   * it need not be compared.
   */
  rankOf: (owners: readonly Owner[]) => string | null
}

export class PathIndex<Owner> {
  readonly #files = new Map<string, PathEntry<Owner>>()
  readonly #globs = new Map<string, PathEntry<Owner>>()
  /** The globs by the directory that contains their matches. */
  readonly #at = new Map<string, PathEntry<Owner>[]>()
  /** The keys of `#files` and `#at` in code unit order, in which everything beneath a directory is one range. Null until it is needed. */
  #sorted: string[] | null = null

  /** Adds an owner of the name of a changed file, and returns its entry. */
  addFile(name: string, owner: Owner): PathEntry<Owner> {
    const known = this.#files.get(name)
    if (known) return withOwner(known, owner)
    // A list that grows from nothing has room for 16 more.
    const entry = { source: name, is_file: true, owners: [owner] }
    this.#files.set(name, entry)
    if (!this.#at.has(name)) this.#insert(name)
    return entry
  }

  /** The entry of the name of a changed file. */
  fileNamed(name: string): PathEntry<Owner> | undefined {
    return this.#files.get(name)
  }

  /** Adds an owner of a glob, and returns its entry. */
  addGlob(source: string, owner: Owner): PathEntry<Owner> {
    const known = this.#globs.get(source)
    if (known) return withOwner(known, owner)
    const entry = { source, is_file: false, owners: [owner] }
    this.#globs.set(source, entry)
    const dir = literalDir(source)
    const there = this.#at.get(dir)
    if (there) there.push(entry)
    else {
      if (!this.#files.has(dir)) this.#insert(dir)
      this.#at.set(dir, [entry])
    }
    return entry
  }

  /** Removes an owner of an entry. */
  remove(entry: PathEntry<Owner>, owner: Owner): void {
    entry.owners = entry.owners.filter((each) => each !== owner)
    if (entry.owners.length > 0) return
    const { source, is_file } = entry
    if (is_file) {
      this.#files.delete(source)
      if (!this.#at.has(source)) this.#delete(source)
      return
    }
    this.#globs.delete(source)
    const dir = literalDir(source)
    const left = this.#at.get(dir)?.filter((each) => each !== entry) ?? []
    if (left.length > 0) this.#at.set(dir, left)
    else {
      this.#at.delete(dir)
      if (!this.#files.has(dir)) this.#delete(dir)
    }
  }

  /** The files beneath a directory, in code unit order. */
  *filesBeneath(dir: string): Generator<PathEntry<Owner>> {
    for (const key of dirsBeneath(this.#keys(), dir)) {
      const file = this.#files.get(key)
      if (file) yield file
    }
  }

  /**
   * The entries that share a path with one of `paths`, each once. `undefined` marks a step without a result, after which the
   * caller may pause. If the deadline is over afterwards, some are missing: patterns, of which anybody may declare expensive
   * ones, are compared after all others.
   */
  *near(
    paths: PathSet,
    { deadline, ignore, rankOf }: NearOptions<Owner>,
  ): Generator<PathEntry<Owner> | undefined> {
    const compared = new Set<PathEntry<Owner>>()
    const patterns: PathEntry<Owner>[] = []
    const isNear = (entry: PathEntry<Owner>) => overlapsAny(paths, [globOf(entry)], { deadline, ignore })
    for (const [dir, mine] of paths.entries) {
      for (const entry of this.#candidates(dir, mine.some(matchesBeneath))) {
        if (deadline.isOver) return
        yield undefined
        if (compared.has(entry)) continue
        compared.add(entry)
        if (isPattern(entry)) patterns.push(entry)
        else if (yield* isNear(entry)) yield entry
      }
    }
    const ranked = patterns.flatMap((entry) => {
      const rank = rankOf(entry.owners)
      return rank === null ? [] : { entry, rank }
    })
    for (const { entry } of ranked.sort((a, b) => Number(a.rank < b.rank) - Number(a.rank > b.rank))) {
      if (deadline.isOver) return
      if (yield* isNear(entry)) yield entry
    }
  }

  /** What is at the directories from the root down to `dir`, then everything beneath it. */
  *#candidates(dir: string, isBeneath: boolean): Generator<PathEntry<Owner>> {
    for (const key of dirsAround(isBeneath ? this.#keys() : [], dir)) {
      yield* this.#at.get(key) ?? []
      const file = this.#files.get(key)
      if (file) yield file
    }
  }

  #keys(): string[] {
    this.#sorted ??= [...new Set([...this.#files.keys(), ...this.#at.keys()])].sort()
    return this.#sorted
  }

  #insert(key: string): void {
    this.#sorted?.splice(firstAtOrAfter(this.#sorted, key), 0, key)
  }

  #delete(key: string): void {
    const at = this.#sorted ? firstAtOrAfter(this.#sorted, key) : -1
    if (this.#sorted?.[at] === key) this.#sorted.splice(at, 1)
  }
}

function withOwner<Owner>(entry: PathEntry<Owner>, owner: Owner): PathEntry<Owner> {
  entry.owners.push(owner)
  return entry
}

function isPattern({ source, is_file }: PathEntry<unknown>): boolean {
  return !is_file && !isSimple(source)
}

/** What an entry matches. */
function globOf({ source, is_file }: PathEntry<unknown>): Glob {
  return is_file ? fileGlob(source) : parseGlob(source)
}

/** No path is beneath a file. */
function matchesBeneath({ alternative: { kind } }: { alternative: Alternative }): boolean {
  return kind !== 'file'
}

/** The index of the first of the sorted texts that is `text` or after it. */
function firstAtOrAfter(sorted: readonly string[], text: string): number {
  return firstIndex(sorted, (each) => each >= text)
}
