/** What a comparison found, for tests of what is said about it. */
import type { MergedActivity } from '../../src/server/activities/live-store.ts'
import type { Conclusion } from '../../src/server/overlap/conclude.ts'
import { NO_RELATION, pairOfGlobs } from '../../src/server/overlap/sides-by-lines.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import type { Sequence } from '../../src/vocabulary/verdict.ts'

export type Collision = Conclusion['collisions'][number]
export type Matching = Conclusion['notables'][number]

const BEGAN = new Date('2026-03-02T09:00:00.000Z')

export const NOTHING_FOUND: Conclusion = {
  checked: 'proposal',
  branch: null,
  emptiness: null,
  expected: new Map(),
  other_base: [],
  collisions: [],
  notables: [],
  noise: [],
  cut: 0,
  merged: [],
  done_by: null,
  total_related: 0,
  checked_against: { activities: 3, notables: 1, as_of: BEGAN.toISOString(), complete: true },
}

/** A number that both sides take. */
export const SAME_NUMBER: Sequence = {
  kind: 'same_number',
  directory: 'db/migrations',
  value: '0042',
  yours: '0042_orders.sql',
  theirs: '0042_carts.sql',
  next: '0043',
}

/** Declared work on a branch of its own; `given` overrides the defaults. */
export function comparedActivity(id: string, given: Partial<MergedActivity> = {}): MergedActivity {
  const record: Partial<MergedActivity> = {
    id,
    title: `Work ${id}`,
    summary: 'Some work.',
    actor: `Actor ${id}`,
    created_by: `login-${id}`,
    source: 'api',
    branch: null,
    pr_url: null,
    pr_number: null,
    draft_pr: false,
    created_at: BEGAN,
    updated_at: BEGAN,
    ...given,
  }
  return record as MergedActivity
}

/** A collision in the file that is called like the activity. */
export function collision(id: string, severity: Severity, given: Partial<MergedActivity> = {}): Collision {
  const path = `src/${id}`
  const paths = [pairOfGlobs({ yours: path, theirs: path, example: path })]
  const match = { areas: [], paths, ...NO_RELATION }
  return { id, severity, match, heads: new Map(), record: comparedActivity(id, given) }
}

export function matching(
  id: string,
  severity: Severity,
  given: { record?: Partial<Matching['record']>; match?: Partial<Matching['match']> } = {},
): Matching {
  const record = { id, title: `Note ${id}`, summary: 'A note.', category: 'warning', decision_url: null }
  return {
    id,
    severity,
    match: { areas: [], paths: [], ...NO_RELATION, ...given.match },
    heads: new Map(),
    record: { ...record, created_at: BEGAN, updated_at: BEGAN, ...given.record } as Matching['record'],
  }
}
