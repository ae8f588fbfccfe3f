/** All live work of one repository in memory: what is near a proposal, and what is built on what. Knows no clock and no database. */
import { addTo, drop } from '../vocabulary/lists.ts'
import type { PathSet } from '../vocabulary/scope/path-set.ts'
import { type NearOptions, PathIndex } from './path-index.ts'
import { bytesOf, ISSUE_MARK, type LiveRecord, type Outline, placesOf, recordOf } from './record.ts'
import { type BranchGraph, Stacks } from './stacks.ts'

/** What is compared with a live set. */
export interface Near {
  paths: PathSet
  /** The places of its areas, and of what it takes. True if it is as much as a shared path. */
  places: ReadonlyMap<string, boolean>
}

interface NearLimits extends Pick<NearOptions<LiveRecord>, 'deadline' | 'ignore'> {
  /** Whether the caller asks about a record. Others are not compared where that is expensive. */
  isWanted(record: LiveRecord): boolean
}

/** By what a record is near. An issue counts most, then a path. */
export type NearBy = 'area' | 'path' | 'issue'

export class LiveSet {
  /** The last version of the repository that it knows, and that of its links; -1 if it knows none. */
  version = -1
  links_version = -1
  /** Approximately. */
  bytes = 0
  readonly #records = new Map<string, LiveRecord>()
  readonly paths = new PathIndex<LiveRecord>()
  readonly #places = new Map<string, LiveRecord[]>()
  /** Notables without a scope, which apply everywhere. */
  readonly #everywhere = new Set<LiveRecord>()
  readonly #cut = new Set<LiveRecord>()
  #notables = 0
  readonly #branches = new Map<string, LiveRecord[]>()
  readonly #bases = new Map<string, LiveRecord[]>()
  #below = new Map<string, string[]>()
  #above = new Map<string, string[]>()

  #first_end = Number.POSITIVE_INFINITY

  get(id: string): LiveRecord | undefined {
    return this.#records.get(id)
  }

  at(place: string): readonly LiveRecord[] {
    return this.#places.get(place) ?? []
  }

  records(): Iterable<LiveRecord> {
    return this.#records.values()
  }

  /** Adds a record, or replaces the one with its id. */
  replace(outline: Outline): void {
    this.remove(outline.id)
    const { areas, paths, files, is_literal } = outline.scope
    const record = recordOf(outline)
    const changed = new Set(files)
    const declared = new Set(paths)
    const addPath = (source: string, is_file: boolean) =>
      record.paths.push(this.paths.add({ source, is_file }, record))
    for (const path of declared) if (!is_literal || !changed.has(path)) addPath(path, is_literal)
    if (is_literal) record.literal = record.paths.length
    for (const name of changed) addPath(name, true)
    for (const place of placesOf(record)) addTo(this.#places, place, record)
    if (outline.kind === 'notable' && areas.length + paths.length === 0) this.#everywhere.add(record)
    if (outline.branch !== null) addTo(this.#branches, outline.branch, record)
    if (outline.base_branch !== null) addTo(this.#bases, outline.base_branch, record)
    if (outline.is_cut) this.#cut.add(record)
    if (outline.kind === 'notable') this.#notables += 1
    this.#records.set(record.id, record)
    this.#first_end = Math.min(this.#first_end, record.ends_at)
    this.bytes += bytesOf(record)
  }

  remove(id: string): void {
    const record = this.#records.get(id)
    if (record === undefined) return
    this.#records.delete(id)
    this.bytes -= bytesOf(record)
    for (const entry of record.paths) this.paths.remove(entry, record)
    for (const place of placesOf(record)) drop(this.#places, place, record)
    this.#everywhere.delete(record)
    this.#cut.delete(record)
    if (record.kind === 'notable') this.#notables -= 1
    if (record.branch !== null) drop(this.#branches, record.branch, record)
    if (record.base_branch !== null) drop(this.#bases, record.base_branch, record)
  }

  /** Forgets everything. */
  clear(): void {
    for (const id of [...this.#records.keys()]) this.remove(id)
    this.replaceLinks([])
    this.version = -1
    this.links_version = -1
  }

  countAt(now: number): { activities: number; notables: number } {
    const counts = { activities: this.#records.size - this.#notables, notables: this.#notables }
    for (const { kind } of this.#endedAt(now)) counts[kind === 'notable' ? 'notables' : 'activities'] -= 1
    return counts
  }

  #endedAt(now: number): LiveRecord[] {
    if (now < this.#first_end) return []
    return [...this.#records.values()].filter(({ ends_at }) => ends_at <= now)
  }

  /** The activities whose changed files are not all known, whether they have ended or not. */
  cut(): Iterable<LiveRecord> {
    return this.#cut
  }

  /** The activities that have ended at `now`, unless a heartbeat has moved their ends. */
  seemEnded(now: number): LiveRecord[] {
    return this.#endedAt(now).filter((each) => !each.is_ended)
  }

  /** Stores the ends of activities; those that are missing do not exist any more. `final`: no heartbeat can move an end before it. */
  moveEnds(records: readonly LiveRecord[], ends: ReadonlyMap<string, number>, final: number): void {
    for (const record of records) {
      const ends_at = ends.get(record.id)
      if (ends_at === undefined) {
        this.remove(record.id)
        continue
      }
      record.ends_at = ends_at
      record.is_ended = ends_at < final
    }
    this.#first_end = Number.POSITIVE_INFINITY
    for (const each of this.#records.values()) this.#first_end = Math.min(this.#first_end, each.ends_at)
  }

  replaceLinks(links: readonly { branch: string; base_branch: string }[]): void {
    this.#below = new Map()
    this.#above = new Map()
    for (const { branch, base_branch } of links) {
      addTo(this.#below, branch, base_branch)
      addTo(this.#above, base_branch, branch)
    }
  }

  /**
   * The records that have a path, an area or something taken in common with a proposal, and some that are not wanted.
   * Pauses between steps. If the deadline is over afterwards, some are missing.
   */
  *near(
    { paths, places }: Near,
    { isWanted, ...limits }: NearLimits,
  ): Generator<undefined, Map<LiveRecord, NearBy>> {
    const found = new Map<LiveRecord, NearBy>()
    for (const record of this.#everywhere) found.set(record, 'area')
    for (const [place, isLikePath] of places) {
      const by = place.startsWith(ISSUE_MARK) ? 'issue' : isLikePath ? 'path' : 'area'
      for (const record of this.at(place)) raise(found, record, by)
      yield
    }
    for (const entry of this.paths.near(paths, {
      ...limits,
      rankOf: (owners) => rankOf(owners.filter(isWanted)),
    })) {
      for (const record of entry?.owners ?? []) raise(found, record, 'path')
      yield
    }
    return found
  }

  /** The activities on a branch that have not ended at `now`, in milliseconds since 1970. */
  onBranch(name: string, now: number): LiveRecord[] {
    return aliveAt(now, this.#branches.get(name))
  }

  /** The stacks of the records that have not ended at `now`, in milliseconds since 1970. */
  stacksAt(now: number): Stacks<LiveRecord> {
    const graph: BranchGraph<LiveRecord> = {
      onBranch: (name) => this.onBranch(name, now),
      onBase: (name) => aliveAt(now, this.#bases.get(name)),
      linkedBelow: (name) => this.#below.get(name) ?? [],
      linkedAbove: (name) => this.#above.get(name) ?? [],
    }
    return new Stacks(graph)
  }
}

function aliveAt(now: number, records: readonly LiveRecord[] = []): LiveRecord[] {
  return records.filter(({ ends_at }) => ends_at > now)
}

/** The heaviest first, then the newest. Null if there are none. */
function rankOf(owners: readonly LiveRecord[]): string | null {
  const ranks = owners.map(({ weight, id }) => `${weight} ${id}`)
  return ranks.sort().at(-1) ?? null
}

const ORDER: readonly NearBy[] = ['area', 'path', 'issue']

function raise(found: Map<LiveRecord, NearBy>, record: LiveRecord, by: NearBy): void {
  const before = found.get(record)
  if (before === undefined || ORDER.indexOf(before) < ORDER.indexOf(by)) found.set(record, by)
}
