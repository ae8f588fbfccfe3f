/** Tells which cached answers an invalidation has overtaken, without looking at any of them. */

/** Owners with a generation of their own. Past so many, one invalidation of all replaces them. */
const OWNERS_MAX = 10_000

/** Owners are compared without case. */
export class Generations {
  readonly #max: number
  readonly #owners = new Map<string, number>()
  /** Invalidations so far, of any owner. */
  #count = 0
  /** The count at the last invalidation of all owners. */
  #all = 0

  constructor(max = OWNERS_MAX) {
    this.#max = max
  }

  /** To be noted where a question begins: an answer is current while its owner's generation is no later than that. */
  get now(): number {
    return this.#count
  }

  /** The generation that answers about the repositories of `owner` have to be of, or a later one. */
  of(owner: string): number {
    return Math.max(this.#all, this.#owners.get(owner.toLowerCase()) ?? 0)
  }

  /** Invalidates what is known about `owner`, or about all. */
  invalidate(owner?: string): void {
    this.#count += 1
    if (owner !== undefined && this.#owners.size < this.#max) {
      this.#owners.set(owner.toLowerCase(), this.#count)
    } else {
      this.#all = this.#count
      this.#owners.clear()
    }
  }
}
