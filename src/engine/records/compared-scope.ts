/** The part of an activity that is compared: its declared scope, and the files that it changes (docs/contract/lines.md#drift). Pure. */

import type { Scope } from '../../vocabulary/contract/scope.ts'
import { type ChangedFile, type ChangeOrigin, namesOf } from '../lines/change.ts'
import { manifestPlaces, takenPlaces } from '../lines/taken.ts'
import { issuePlace, type StoredScope } from '../record.ts'
import { type ComparedActivity, issuesOf } from './activity.ts'

/** The fields that determine the compared scope. */
export type ComparedFields = Pick<
  ComparedActivity,
  | 'scope'
  | 'scope_is_literal'
  | 'changed_files'
  | 'pushed_files'
  | 'pr_number'
  | 'draft_pr'
  | 'issue'
  | 'closes'
>

export interface ComparedFile extends ChangedFile {
  origin: ChangeOrigin
}

export interface ComparedScope extends Scope {
  /** The paths are file names without wildcards. */
  is_literal: boolean
  files: ComparedFile[]
}

/**
 * The files of a pull request that is ready for review replace the declared paths and files, and so do the files of
 * activities that were created from GitHub. While the pull request is a draft, both count. Declared areas always count.
 */
export function comparedScopeOf(row: ComparedFields): ComparedScope {
  const { scope, scope_is_literal: is_literal, changed_files, pushed_files } = row
  const pushed = (pushed_files ?? []).map((file) => ({ ...file, origin: 'pushed' as const }))
  if (pushed_files !== null && (is_literal || isReady(row)))
    return { areas: scope.areas, paths: [], is_literal, files: pushed }
  const declared = changed_files.map((file) => ({ ...file, origin: 'declared' as const }))
  return { areas: scope.areas, paths: scope.paths, is_literal, files: [...declared, ...pushed] }
}

/** The scope of a stored record that is compared. For an activity with changed files, see `comparedScopeOf`. */
export function storedScopeOf(record: ComparedFields | { scope: Scope }): StoredScope {
  if (!('changed_files' in record)) return { ...record.scope, is_literal: false, files: [], taken: [] }
  const { files, ...scope } = comparedScopeOf(record)
  const taken = [...takenPlaces(files), ...manifestPlaces(files), ...issuesOf(record).map(issuePlace)]
  return { ...scope, files: distinctNames(files), taken }
}

/** Whether the files of a ready pull request take the place of what was declared by a request. */
export function replacesDeclared(row: ComparedFields): boolean {
  return row.pushed_files !== null && !row.scope_is_literal && isReady(row)
}

/** Whether it has a pull request that is not a draft. */
function isReady({ pr_number, draft_pr }: Pick<ComparedActivity, 'pr_number' | 'draft_pr'>): boolean {
  return pr_number !== null && !draft_pr
}

export function distinctNames(files: readonly Pick<ChangedFile, 'path' | 'previous_path'>[]): string[] {
  return [...new Set(files.flatMap(namesOf))]
}
