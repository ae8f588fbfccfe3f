/** Shortens responses for agents: without nulls, and with a few examples instead of long lists. */
import type { OutputOf } from '../../operations/contract.ts'

type Overlap = OutputOf<'checkOverlap'>
type OverlapBrief = OutputOf<'heartbeatActivity'>['overlap']
type Activity = OutputOf<'listActivities'>['items'][number]
type Notable = OutputOf<'listNotables'>['items'][number]

const PATHS_MAX = 20
const MATCHES_MAX = 10
const EXAMPLES_MAX = 3

/** Without the fields that are null, at any depth. */
export function withoutNulls<Fields extends object>(fields: Fields): Partial<Fields> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([name, value]) => [name, shortened(value)])) as Partial<Fields>
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened)
  return typeof value === 'object' && value !== null ? withoutNulls(value) : value
}

export function compactOverlap(overlap: Overlap): object {
  const { matches, checked_against } = overlap
  return withoutNulls({
    overlap_detected: overlap.overlap_detected,
    severity: overlap.severity,
    reason: overlap.reason,
    recommended_action: overlap.recommended_action,
    matches: matches.slice(0, MATCHES_MAX).map(({ paths, ...match }) => ({
      ...match,
      examples: [...new Set(paths.map(({ example }) => example))].slice(0, EXAMPLES_MAX),
    })),
    total_related: overlap.total_related,
    expected_activity_ids: overlap.expected_activity_ids,
    reuse_opportunities: overlap.reuse_opportunities,
    checked_against,
  })
}

/** The overlap of a single activity; empty if the activity is not live. */
export function compactOverlapBrief(overlap: OverlapBrief): { overlap?: object } {
  if (overlap === null) return {}
  const { matches, ...rest } = overlap
  return { overlap: withoutNulls({ ...rest, matches }) }
}

export function compactActivity(activity: Activity): object {
  const { id, title, actor, agent, status, risk, branch, base_branch, pr_url, expires_at } = activity
  const { draft_pr, blocking } = activity
  return withoutNulls({
    id,
    title,
    actor,
    agent,
    status,
    risk,
    branch,
    base_branch,
    scope: compactScope(activity.scope),
    pr_url,
    draft_pr: draft_pr || null,
    blocking: blocking || null,
    expires_at,
  })
}

export function compactNotable(notable: Notable): object {
  const { id, title, category, importance, status, decision_url, applies_until, expires_at } = notable
  return withoutNulls({
    id,
    title,
    category,
    importance,
    status,
    decision_url,
    applies_until,
    scope: compactScope(notable.scope),
    blocking: notable.blocking || null,
    expires_at,
  })
}

export function compactPage<Item>(
  page: { items: Item[]; next_cursor: string | null },
  compact: (item: Item) => object,
): object {
  return withoutNulls({ items: page.items.map(compact), next_cursor: page.next_cursor })
}

interface Scope {
  areas: string[]
  paths: string[]
  changes?: { path: string }[]
}

function compactScope({ areas, paths, changes = [] }: Scope): object {
  return {
    areas,
    paths: paths.slice(0, PATHS_MAX),
    ...(paths.length > PATHS_MAX && { paths_left_out: paths.length - PATHS_MAX }),
    ...(changes.length > 0 && { changed_files: changes.slice(0, PATHS_MAX).map(({ path }) => path) }),
    ...(changes.length > PATHS_MAX && { changed_files_left_out: changes.length - PATHS_MAX }),
  }
}
