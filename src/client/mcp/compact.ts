/** The results of tools: responses of the service without nulls, and with a few examples instead of long lists. */
import type { OutputOf } from '../../vocabulary/contract/contract.ts'
import { listedScope } from '../../vocabulary/scope/limits.ts'

const MATCHES_MAX = 10
const EXAMPLES_MAX = 3

/** Fields that few agents need. `show_record` has those of activities and notables. */
const OMITTED = [
  ...['related_activity_ids', 'related_notable_ids', 'relationships', 'truncated'],
  ...['type', 'summary', 'source', 'base_sha', 'heartbeat_at', 'ttl_ms', 'supersedes', 'superseded_by'],
  ...['created_at', 'created_by', 'updated_at', 'archived_at', 'archived_by', 'archive_reason'],
]

export function compactOverlap(result: OutputOf<'checkOverlap'>): object {
  const matches = result.matches.slice(0, MATCHES_MAX).map(({ paths, ...match }) => ({
    ...match,
    examples: [...new Set(paths.map(({ example }) => example))].slice(0, EXAMPLES_MAX),
  }))
  return compacted({ ...result, matches })
}

/** The overlap of a single activity; empty if the activity is not live. */
export function compactBrief(overlap: OutputOf<'heartbeatActivity'>['overlap']): { overlap?: object } {
  return overlap === null ? {} : { overlap: withoutNulls(overlap) }
}

export function compactActivity(activity: Omit<OutputOf<'updateActivity'>, 'overlap'> | Listed): object {
  const { draft_pr, blocking, scope } = activity
  const shown = { draft_pr: draft_pr || null, blocking: blocking || null, scope: compactScope(scope) }
  return compacted({ ...activity, ...shown })
}

type Listed = OutputOf<'listActivities'>['items'][number]

export function compactNotable(notable: OutputOf<'listNotables'>['items'][number]): object {
  const { blocking, scope } = notable
  return compacted({ ...notable, blocking: blocking || null, scope: compactScope(scope) })
}

/** All fields, and of the scope what a list shows: that of a large pull request would fill the context of a model. */
export function compactFull(record: { scope: GivenScope }): object {
  return withoutNulls({ ...record, scope: compactScope(record.scope) })
}

export function compactPage<Item>(
  page: { items: Item[]; next_cursor: string | null },
  compact: (item: Item) => object,
): object {
  return withoutNulls({ items: page.items.map(compact), next_cursor: page.next_cursor })
}

type GivenScope = Pick<Listed['scope'], 'areas' | 'paths'> & Partial<Listed['scope']>

function compactScope({ path_count, ...scope }: GivenScope): object {
  const { areas, paths, changes, path_count: count } = listedScope({ changes: [], ...scope })
  const changed_files = changes.length > 0 ? changes.map(({ path }) => path) : null
  return { areas, paths, changed_files, path_count: path_count ?? count }
}

function compacted(record: object): object {
  return withoutNulls(Object.fromEntries(Object.entries(record).filter(([name]) => !OMITTED.includes(name))))
}

/** Copies `fields`, which are JSON, without those that are null, at any depth. */
export function withoutNulls(fields: object): object {
  return JSON.parse(JSON.stringify(fields, (_, value) => value ?? undefined))
}
