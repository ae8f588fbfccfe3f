/** Reads of GitHub with the stored ETags: an answer that is the same as before costs nothing of the rate limit. */
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { statusOf } from '../../github/octokit.ts'
import { listEtags, saveEtags } from './etags-store.ts'
import type { RepoContext } from './repo.ts'

/** Repositories at rest are asked once a day. */
const KEPT_FOR_MS = 3 * DAY_MS

interface Answer<Data> {
  data: Data
  headers: { etag?: string | undefined }
}

export class ConditionalReads {
  readonly #ctx: RepoContext
  readonly #stored: ReadonlyMap<string, string>
  readonly #seen = new Map<string, string>()

  private constructor(ctx: RepoContext, stored: ReadonlyMap<string, string>) {
    this.#ctx = ctx
    this.#stored = stored
  }

  static async open(ctx: RepoContext): Promise<ConditionalReads> {
    return new ConditionalReads(ctx, await listEtags(ctx.db, ctx.repo.id))
  }

  /** Whether the address was read before. */
  has(address: string): boolean {
    return this.#stored.has(address)
  }

  /**
   * Calls GitHub with the headers given to `call`; undefined if the answer is the one whose ETag is stored. `address` names
   * the answer within the repository. Throws what the client throws.
   */
  async read<Data>(
    address: string,
    call: (headers: Record<string, string>) => Promise<Answer<Data>>,
  ): Promise<Data | undefined> {
    const etag = this.#stored.get(address)
    try {
      const { data, headers } = await call(etag === undefined ? {} : { 'if-none-match': etag })
      if (headers.etag) this.#seen.set(address, headers.etag)
      return data
    } catch (error) {
      if (statusOf(error) !== 304 || etag === undefined) throw error
      this.#seen.set(address, etag)
      return undefined
    }
  }

  /** Stores the ETags, once what was read has been applied. */
  async save(): Promise<void> {
    const { db, now, repo } = this.#ctx
    await saveEtags(db, repo.id, { seen: this.#seen, now, before: later(now, -KEPT_FOR_MS) })
  }
}
