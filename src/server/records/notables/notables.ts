/** Create, retrieve, list, update and archive notables. */

import { changesAnything } from '../../../engine/records/activity.ts'
import {
  asOf,
  briefOf,
  newNotable,
  requireChangeable,
  requirePredecessors,
} from '../../../engine/records/notable.ts'
import type {
  CreateNotable,
  ListNotables,
  NotableBrief,
  UpdateNotable,
} from '../../../vocabulary/contract/notable.ts'
import { type Page, readPage } from '../../../vocabulary/contract/pagination.ts'
import { labelKey } from '../../../vocabulary/contract/scope.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { isHigh } from '../../../vocabulary/severity.ts'
import { enqueueNotification, enqueueRechecks, insertLive } from '../changes/changes.ts'
import { tooManyLive } from '../live-sets/store.ts'
import { inTransaction, type OpenedRepo, type RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import type { NotableRow } from './table.ts'

/**
 * Creates a notable, and archives those that it supersedes in the same transaction. Throws `category_not_allowed`,
 * `validation_error` (`applies_until`, `supersedes[i]`), `rate_limited` at the limit of active notables.
 */
export async function createNotable(ctx: RepoContext, input: CreateNotable): Promise<NotableRow> {
  const { now, repo, settings, caller } = ctx
  const login = caller.identity?.login ?? null
  const isPosted = repo.is_notified && isHigh(input)
  const row: store.NewNotable = {
    ...newNotable(input, { now, settings, login }),
    repo_id: repo.id,
    area_keys: input.scope.areas.map(labelKey),
    notified_at: isPosted ? now : null,
  }
  return inTransaction(ctx, async (within) => {
    if (input.supersedes.length > 0) await supersede(within, row.id, input.supersedes)
    const inserted = await insertLive(within, {
      counted: 'notables',
      insert: (version) => store.insertNotable(within.db, row, version),
      expire: store.expireNotables,
    })
    if (!inserted) throw tooManyLive(repo.max_live.notables, 'active notables')
    if (isPosted) await enqueueNotification(within, { notable_id: row.id })
    return inserted
  })
}

/** Archives the notables `ids`, because the notable `by` takes their place. */
async function supersede({ db, now, repo }: RepoContext, by: string, ids: string[]): Promise<void> {
  const replaced = await store.lockNotables(db, repo.id, ids)
  requirePredecessors(ids, new Set(replaced.map(({ id }) => id)))
  for (const each of replaced) {
    const archived = { ...archivedAt(now), archived_at: each.archived_at ?? now }
    await store.updateNotable(db, each, { ...archived, superseded_by: by })
  }
}

/** The notable as of now. Throws `not_found`. */
export async function getNotable(ctx: OpenedRepo, id: string): Promise<NotableRow> {
  const row = await store.findNotable(ctx.db, ctx.repo.id, id)
  if (!row) throw noSuchNotable(id)
  return asOf(row, ctx.now)
}

/** A page of notables, newest first. Active ones by default. */
export async function listNotables(ctx: RepoContext, input: ListNotables): Promise<Page<NotableBrief>> {
  const { cursor, limit, ...filter } = input
  const { db, now, repo } = ctx
  const area = filter.area === undefined ? undefined : labelKey(filter.area)
  return readPage(
    { cursor, limit },
    (page) => store.listNotables(db, repo.id, { ...filter, area }, { now, ...page }),
    (row) => briefOf(asOf(row, now)),
  )
}

/**
 * Updates the given fields. An update without a difference keeps `updated_at`. Throws `not_found`, `validation_error`
 * (`applies_until`), `invalid_transition` if the notable is not active.
 */
export function updateNotable(ctx: RepoContext, id: string, input: UpdateNotable): Promise<NotableRow> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const [stored] = await store.lockNotables(db, repo.id, [id])
    if (!stored) throw noSuchNotable(id)
    const row = asOf(stored, now)
    requireChangeable(row, input, now)
    if (!changesAnything(row, input)) return row
    const areas = input.scope ? { area_keys: input.scope.areas.map(labelKey) } : {}
    const becomesHigh = !isHigh(row) && isHigh({ ...row, ...input })
    const isPosted = within.repo.is_notified && becomesHigh && row.notified_at === null
    const notified = isPosted ? { notified_at: now } : {}
    const changes = { ...input, ...areas, ...notified, updated_at: now }
    const updated = await store.updateNotable(db, stored, changes)
    await enqueueRechecks(within, [updated])
    if (isPosted) await enqueueNotification(within, { notable_id: id })
    return updated
  })
}

/** Archives the notable. An archived one is returned unchanged. Throws `not_found`. */
export function archiveNotable(ctx: RepoContext, id: string): Promise<NotableRow> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const [stored] = await store.lockNotables(db, repo.id, [id])
    if (!stored) throw noSuchNotable(id)
    if (stored.status === 'archived') return stored
    const archived = await store.updateNotable(db, stored, archivedAt(now))
    await enqueueRechecks(within, [stored])
    return archived
  })
}

function archivedAt(now: Date) {
  return { status: 'archived', archived_at: now, updated_at: now } as const
}

function noSuchNotable(id: string): Failure {
  return new Failure('not_found', `no notable ${id} in this repository; it may have been purged`)
}
