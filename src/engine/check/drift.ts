/** How the changes of a pull request differ from what was declared before it (docs/contract/lines.md#drift). */

import { DRIFT_MAX, type Drift } from '../../vocabulary/contract/overlap.ts'
import { fileGlob, parseGlob } from '../../vocabulary/scope/glob.ts'
import { overlapsAny, pathSet } from '../../vocabulary/scope/path-set.ts'
import { namesOf } from '../lines/change.ts'
import { type ComparedFields, distinctNames, replacesDeclared } from '../records/compared-scope.ts'
import { globsOf } from './compare.ts'
import { rulesOf } from './rules.ts'
import type { CheckContext } from './source.ts'

/** The budget, in units of 10 to 50 ns: twice the worst case of a declared scope, and the files. */
const UNITS_MAX = 2_000_000

/**
 * Null if no declared paths or files were replaced by the files of a ready pull request, or if there are too many to compare.
 * The paths that the settings give to declared areas count as declared. Ignored files are left out.
 */
export function driftOf(
  ctx: Pick<CheckContext, 'settings' | 'repo' | 'caller'>,
  row: ComparedFields,
): Drift | null {
  if (!replacesDeclared(row)) return null
  const { scope, changed_files } = row
  const files = row.pushed_files ?? []
  const rules = rulesOf(ctx.settings, ctx.repo.noise_attributes)
  const budget = ctx.caller.meter.budget(UNITS_MAX)
  const globs = globsOf(
    { ...scope, is_literal: false, files: distinctNames(changed_files), taken: [] },
    rules,
    budget,
  )
  if (globs.length === 0) return null
  const declared = pathSet(globs, budget)
  const changed = pathSet(distinctNames(files).map(fileGlob), budget)
  const changed_only = files.filter(
    (file) =>
      !rules.ignore(file.path, true, budget) &&
      !overlapsAny(declared, namesOf(file).map(fileGlob), { budget }),
  )
  const declared_only = [
    ...scope.paths.filter((path) => !overlapsAny(changed, [parseGlob(path, budget)], { budget })),
    ...changed_files
      .filter((file) => !overlapsAny(changed, namesOf(file).map(fileGlob), { budget }))
      .map(({ path }) => path),
  ]
  if (budget.remaining < 0) return null
  return {
    declared_only: [...new Set(declared_only)].slice(0, DRIFT_MAX),
    changed_only: changed_only.map(({ path }) => path).slice(0, DRIFT_MAX),
  }
}
