/** What a comparison found, for tests of what is said about it. */

import type { Conclusion } from '../../src/engine/check/source.ts'
import type { MergedActivity } from '../../src/engine/records/activity.ts'
import type { FindingOf } from '../../src/vocabulary/finding-kinds.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { NOT_COMPARED, type Verdict } from '../../src/vocabulary/verdict.ts'

export type Collision = Conclusion['collisions'][number]
export type Matching = Conclusion['notables'][number]

const BEGAN = new Date('2026-03-02T09:00:00.000Z')

export const NOTHING_FOUND: Conclusion = {
  ...{ self: [], branch: null, emptiness: null },
  ...{ expected: new Map(), other_base: [], collisions: [], notables: [], same_file: [] },
  isApart: () => false,
  ...{ cut: 0, merged: [], done_by: null, total_related: 0 },
  checked_against: { activities: 3, notables: 1, as_of: BEGAN.toISOString(), complete: true },
}

export const SAME_NUMBER: FindingOf<'number'> = {
  ...{ kind: 'number', directory: 'db/migrations', number: '0042', next: '0043' },
  ...{ yours: '0042_orders.sql', theirs: '0042_carts.sql' },
}

/** A merged pull request that has nine of the ten lines that the work adds. */
export const DONE_BY: NonNullable<Conclusion['done_by']> = {
  ...{ number: 40, title: 'Retry', author: 'ben', is_by_newcomer: false, head_sha: 'a'.repeat(40) },
  ...{ merged_at: BEGAN, shared: 9, lines: 10, url: 'https://github.com/acme/shop/pull/40' },
  same_author: false,
}

/** The strongest verdict, about one file. */
export function linesFinding(verdict: Verdict, given: Partial<FindingOf<'lines'>> = {}): FindingOf<'lines'> {
  return { kind: 'lines', path: 'a.ts', ...NOT_COMPARED, verdict, lacks_patch: false, ...given }
}

/** Declared work on a branch of its own; `given` overrides the defaults. */
export function comparedActivity(id: string, given: Partial<MergedActivity> = {}): MergedActivity {
  const record: Partial<MergedActivity> = {
    ...{ id, title: `Work ${id}`, summary: 'Some work.', actor: `Actor ${id}`, created_by: `login-${id}` },
    ...{ source: 'api', branch: null, pr_url: null, pr_number: null, draft_pr: false },
    ...{ scope: { areas: [], paths: [] }, changed_files: [], pushed_files: null },
    ...{ created_at: BEGAN, updated_at: BEGAN, ...given },
  }
  return record as MergedActivity
}

const WHOSE = { same_author: false, is_bot: false }
const NOTHING = { consequence: null, findings: [], areas: [], paths: [], ...WHOSE, cut: false }
const BY_PATH = { is_by_lines: false, heads: new Map() }

/** A collision in the file that is called like the activity. `match` overrides what is shared. */
export function collision(
  id: string,
  severity: Severity,
  given: Partial<MergedActivity> = {},
  match: Partial<Collision['match']> = {},
): Collision {
  const path = `src/${id}`
  const globs = { yours: path, theirs: path }
  const shared: Collision['match'] = {
    ...{ ...NOTHING, consequence: 'possible', findings: [{ kind: 'paths', path, ...globs }] },
    ...{ paths: [{ ...globs, example: path, ...NOT_COMPARED }], ...match },
  }
  return { id, severity, match: shared, ...BY_PATH, record: comparedActivity(id, given) }
}

export function matching(
  id: string,
  severity: Severity,
  given: { record?: Partial<Matching['record']>; match?: Partial<Matching['match']> } = {},
): Matching {
  const record = {
    ...{ id, title: `Note ${id}`, summary: 'A note.', category: 'warning', decision_url: null },
    ...{ created_by: 'cy', created_at: BEGAN, updated_at: BEGAN, ...given.record },
  } as Matching['record']
  return { id, severity, match: { ...NOTHING, ...given.match }, ...BY_PATH, record }
}
