/** The results of tools: responses of the service without nulls, and with a few examples instead of long lists. */
import { z } from 'zod'
import { OPERATIONS, type OutputOf } from '../../vocabulary/contract/contract.ts'
import { withoutNewcomersText } from '../newcomers.ts'

const PATHS_MAX = 20
const MATCHES_MAX = 10
const EXAMPLES_MAX = 3

const { checkOverlap, heartbeatActivity, listActivities, listNotables } = OPERATIONS
const { matches, ...overlap } = checkOverlap.output.shape
const { paths: _paths, ...match } = matches.element.shape

const Scope = z.object({
  areas: z.array(z.string()),
  paths: z.array(z.string()),
  paths_left_out: z.int().optional(),
  changed_files: z.array(z.string()).optional(),
  changed_files_left_out: z.int().optional(),
})

/** The schemas of the results. Results leave out the fields that would be null. */
export const Overlap = z
  .object({ ...overlap, matches: z.array(z.object({ ...match, examples: z.array(z.string()) })) })
  .omit({ related_activity_ids: true, related_notable_ids: true, relationships: true })
  .omit({ truncated: true, sources: true })

export const Activity = listActivities.output.shape.items.element
  .extend({ scope: Scope })
  .omit({ base_sha: true, heartbeat_at: true, ttl_ms: true, created_at: true, updated_at: true })
  .omit({ archived_at: true, archive_reason: true, created_by: true, archived_by: true, source: true })

export const Notable = listNotables.output.shape.items.element
  .extend({ scope: Scope })
  .omit({ supersedes: true, superseded_by: true, created_by: true })
  .omit({ created_at: true, updated_at: true, archived_at: true })

export const Heartbeat = heartbeatActivity.output

export function compactOverlap(result: OutputOf<'checkOverlap'>): object {
  const matches = result.matches.slice(0, MATCHES_MAX).map(({ paths, ...match }) => ({
    ...match,
    examples: [...new Set(paths.map(({ example }) => example))].slice(0, EXAMPLES_MAX),
  }))
  // Only in one clone: the list of tools need not describe it.
  const { sources } = result
  return { ...fieldsOf(Overlap, { ...result, matches }), ...(sources && { sources }) }
}

/** The overlap of a single activity; empty if the activity is not live. */
export function compactBrief(overlap: OutputOf<'heartbeatActivity'>['overlap']): { overlap?: object } {
  return overlap === null ? {} : { overlap: withoutNulls(overlap) }
}

export function compactActivity(activity: Omit<OutputOf<'updateActivity'>, 'overlap'> | Listed): object {
  const { draft_pr, blocking, scope } = activity
  const shown = { draft_pr: draft_pr || null, blocking: blocking || null, scope: compactScope(scope) }
  return fieldsOf(Activity, { ...withoutNewcomersText(activity), ...shown })
}

type Listed = OutputOf<'listActivities'>['items'][number]

export function compactNotable(notable: OutputOf<'listNotables'>['items'][number]): object {
  const { blocking, scope } = notable
  return fieldsOf(Notable, { ...notable, blocking: blocking || null, scope: compactScope(scope) })
}

export function compactPage<Item>(
  page: { items: Item[]; next_cursor: string | null },
  compact: (item: Item) => object,
): object {
  return withoutNulls({ items: page.items.map(compact), next_cursor: page.next_cursor })
}

interface GivenScope {
  areas: string[]
  paths: string[]
  changes?: { path: string }[]
}

function compactScope({ areas, paths, changes = [] }: GivenScope): z.output<typeof Scope> {
  return {
    areas,
    paths: paths.slice(0, PATHS_MAX),
    ...(paths.length > PATHS_MAX && { paths_left_out: paths.length - PATHS_MAX }),
    ...(changes.length > 0 && { changed_files: changes.slice(0, PATHS_MAX).map(({ path }) => path) }),
    ...(changes.length > PATHS_MAX && { changed_files_left_out: changes.length - PATHS_MAX }),
  }
}

/** The fields that `schema` has, in its order, without nulls. */
function fieldsOf(schema: z.ZodObject, record: Record<string, unknown>): object {
  return withoutNulls(
    Object.fromEntries(Object.keys(schema.shape).map((name) => [name, record[name] ?? null])),
  )
}

/** Copies `fields` without those that are null, at any depth. */
export function withoutNulls(fields: object): object {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([name, value]) => [name, valueWithoutNulls(value)]))
}

function valueWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueWithoutNulls)
  return typeof value === 'object' && value !== null ? withoutNulls(value) : value
}
