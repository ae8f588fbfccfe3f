/** The distinct paths of many records, indexed by directory: which of them share a path with those of one scope. */
import type { Deadline } from '../vocabulary/clock.ts'
import { firstIndex } from '../vocabulary/lists.ts'
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
  /** The next entry at its directory. Most have none, and a list of one for each would take a third more memory. */
  next: PathEntry<Owner> | null
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
  readonly #globs = new Map<string, PathEntry<Owner>>()
  /** The first entry at a directory: the file of that name, then the globs all of whose matches it contains. */
  readonly #at = new Map<string, PathEntry<Owner>>()
  /** The keys of `#at` in code unit order, in which everything beneath a directory is one range. Null until it is needed. */
  #sorted: string[] | null = null

  add({ source, is_file }: Pick<PathEntry<Owner>, 'source' | 'is_file'>, owner: Owner): PathEntry<Owner> {
    const known = is_file ? this.fileNamed(source) : this.#globs.get(source)
    if (known) {
      known.owners.push(owner)
      return known
    }
    // A list that grows from nothing has room for 16 more.
    const entry: PathEntry<Owner> = { source, is_file, owners: [owner], next: null }
    if (!is_file) this.#globs.set(source, entry)
    const dir = dirOf(entry)
    const first = this.#at.get(dir)
    if (first === undefined) this.#sorted?.splice(firstAtOrAfter(this.#sorted, dir), 0, dir)
    if (first?.is_file) {
      entry.next = first.next
      first.next = entry
    } else {
      entry.next = first ?? null
      this.#at.set(dir, entry)
    }
    return entry
  }

  fileNamed(name: string): PathEntry<Owner> | undefined {
    const first = this.#at.get(name)
    return first?.is_file ? first : undefined
  }

  remove(entry: PathEntry<Owner>, owner: Owner): void {
    entry.owners = entry.owners.filter((each) => each !== owner)
    if (entry.owners.length > 0) return
    if (!entry.is_file) this.#globs.delete(entry.source)
    // A reader that pauses at the entry still finds the next one.
    const dir = dirOf(entry)
    let before = this.#at.get(dir)
    if (before !== entry) {
      while (before && before.next !== entry) before = before.next ?? undefined
      if (before) before.next = entry.next
    } else if (entry.next) this.#at.set(dir, entry.next)
    else {
      this.#at.delete(dir)
      this.#sorted?.splice(firstAtOrAfter(this.#sorted, dir), 1)
    }
  }

  /** The files beneath a directory, in code unit order. */
  *filesBeneath(dir: string): Generator<PathEntry<Owner>> {
    for (const key of dirsBeneath(this.#keys(), dir)) {
      const file = this.fileNamed(key)
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
      // No path is beneath a file.
      const isBeneathToo = mine.some(({ alternative: { kind } }) => kind !== 'file')
      for (const entry of this.#candidates(dir, isBeneathToo)) {
        if (deadline.isOver) return
        yield undefined
        if (compared.has(entry)) continue
        compared.add(entry)
        if (!entry.is_file && !isSimple(entry.source)) patterns.push(entry)
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
    for (const key of dirsAround(isBeneath ? this.#keys() : [], dir))
      for (let entry = this.#at.get(key) ?? null; entry; entry = entry.next) yield entry
  }

  #keys(): string[] {
    this.#sorted ??= [...this.#at.keys()].sort()
    return this.#sorted
  }
}

/** The directory that contains what an entry matches; of a file, its own name. */
function dirOf({ source, is_file }: PathEntry<unknown>): string {
  return is_file ? source : literalDir(source)
}

function globOf({ source, is_file }: PathEntry<unknown>): Glob {
  return is_file ? fileGlob(source) : parseGlob(source)
}

/** The index of the first of the sorted texts that is `text` or after it. */
function firstAtOrAfter(sorted: readonly string[], text: string): number {
  return firstIndex(sorted, (each) => each >= text)
}
