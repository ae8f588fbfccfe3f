/** Announces to every instance which records of which repositories changed, so that open pages can show it. */
import type { Logger } from 'pino'
import { z } from 'zod'
import { pagesOf } from '../base/lists.ts'
import type { Database } from '../db/database.ts'
import { faultOf } from '../db/errors.ts'

const CHANNEL = 'deconflict_changes'
/** Changes within this time share one notification, because each notification takes a lock that all commits of the database share. */
const BATCH_MS = 200
/** A notification with this many bytes is full. A PostgreSQL notification holds at most 8,000, and its last item has at most 1,700. */
const TEXT_FULL = 6000
/** If more records of one repository changed, `any` is announced. */
const IDS_MAX = 50

/** The ids of changed records; `any` if anything may have changed. */
export type Changed = readonly string[] | 'any'

export interface ChangedRepository {
  repo_id: number
  changed: Changed
}

const Announcement = z.array(
  z
    .tuple([z.number(), z.union([z.array(z.string()), z.literal('any')])])
    .transform(([repo_id, changed]): ChangedRepository => ({ repo_id, changed })),
)

export class ChangeFeed {
  readonly #database: Database
  readonly #log: Logger
  readonly #changed = new Map<number, Changed>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Calls `onChange` with each announcement, or without an argument when announcements may have been missed. */
  subscribe(onChange: (changes?: ChangedRepository[]) => void): Promise<void> {
    return this.#database.listen(CHANNEL, {
      received: (text) => onChange(Announcement.safeParse(JSON.parse(text)).data),
      missed: () => onChange(),
    })
  }

  /** Queues the announcement of a committed change. If the process ends first, pages see the change on their next regular refresh. */
  announce(repo_id: number, changed: Changed): void {
    this.#changed.set(repo_id, joinChanged(this.#changed.get(repo_id) ?? [], changed))
    this.#timer ??= setTimeout(() => void this.#send(), BATCH_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#changed.clear()
  }

  async #send(): Promise<void> {
    this.#timer = undefined
    const texts = announcementsOf(this.#changed)
    this.#changed.clear()
    try {
      for (const text of texts) await this.#database.announce(CHANNEL, text)
    } catch (error) {
      this.#log.warn(faultOf(error), 'change announcement failed')
    }
  }
}

/** The union of two sets of changed records. */
export function joinChanged(one: Changed, other: Changed): Changed {
  if (one === 'any' || other === 'any') return 'any'
  const ids = [...new Set([...one, ...other])]
  return ids.length > IDS_MAX ? 'any' : ids
}

/** Packs the changes into as few notifications as possible. */
function announcementsOf(changes: ReadonlyMap<number, Changed>): string[] {
  const sizeOf = (change: unknown) => JSON.stringify(change).length + 1
  const pages = pagesOf([...changes], { max: changes.size, size_max: TEXT_FULL, sizeOf })
  return [...pages].map((page) => JSON.stringify(page))
}
