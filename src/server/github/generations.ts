/** Invalidates cached answers by generation, without visiting the cache entries. */

/** Owners are case-insensitive. There are as many as webhooks named. */
export class Generations {
  readonly #owners = new Map<string, number>()
  /** The number of invalidations so far. */
  #count = 0
  /** The count at the last invalidation of all owners. */
  #all = 0

  /** Read this before calling GitHub: the answer is current while the generation of its owner is not later. */
  get now(): number {
    return this.#count
  }

  /** Answers about repositories of `owner` are valid from this generation on. */
  of(owner: string): number {
    return Math.max(this.#all, this.#owners.get(owner.toLowerCase()) ?? 0)
  }

  /** Invalidates the answers about `owner`, or about all owners. */
  invalidate(owner?: string): void {
    this.#count += 1
    if (owner === undefined) this.#all = this.#count
    else this.#owners.set(owner.toLowerCase(), this.#count)
  }
}
