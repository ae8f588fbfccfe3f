/** The rows of repositories as requests read them last. They may be outdated: whoever uses one confirms its version. */
import { LRUCache } from 'lru-cache'
import type { VersionedRepository } from './store.ts'

/** The size of the cache in characters of settings. */
const KEPT_MAX = 10_000_000
/** The size of a row without settings. */
const ROW_SIZE = 500

export class RepositoryCache {
  readonly #rows = new LRUCache<number, VersionedRepository>({
    maxSize: KEPT_MAX,
    sizeCalculation: ({ settings, labeler_areas, noise_attributes, organisation }) =>
      ROW_SIZE + JSON.stringify([settings, labeler_areas, noise_attributes, organisation]).length,
  })

  get(repo_id: number): VersionedRepository | undefined {
    return this.#rows.get(repo_id)
  }

  keep(row: VersionedRepository): void {
    if (this.#rows.peek(row.repo_id)?.version !== row.version) this.#rows.set(row.repo_id, row)
  }
}
