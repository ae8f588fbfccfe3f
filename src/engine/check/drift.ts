/** How the changes of a pull request differ from what was declared before it (docs/contract/lines.md#drift). */

import type { Steps } from '../../vocabulary/clock.ts'
import { DRIFT_MAX, type Drift } from '../../vocabulary/contract/overlap.ts'
import { globsOfPaths } from '../../vocabulary/contract/scope.ts'
import { fileGlob, type Glob } from '../../vocabulary/scope/glob.ts'
import { isIgnored, overlapsAny, type PathSet, pathSet } from '../../vocabulary/scope/path-set.ts'
import { namesOf } from '../lines/change.ts'
import { type ComparedFields, distinctNames, replacesDeclared } from '../records/activity.ts'
import { globsOf, type Rules, rulesOf } from './compare.ts'
import type { CheckContext } from './source.ts'

/**
 * Null if no declared paths or files were replaced by the files of a ready pull request, or if there are too many to compare.
 * The paths that the settings give to declared areas count as declared. Ignored files are left out.
 */
export async function driftOf(
  { settings, repo, caller }: Pick<CheckContext, 'settings' | 'repo' | 'caller'>,
  row: ComparedFields,
): Promise<Drift | null> {
  if (!replacesDeclared(row)) return null
  const deadline = caller.meter.deadline()
  return deadline.run(driftBetween(row, rulesOf(settings, repo.noise_attributes, deadline)))
}

function* driftBetween(row: ComparedFields, rules: Rules): Steps<Drift | null> {
  const { scope, changed_files } = row
  const pushed = row.pushed_files ?? []
  const globs = globsOf(
    { ...scope, is_literal: false, files: distinctNames(changed_files), taken: [] },
    rules,
  )
  if (globs.length === 0) return null
  const declared = pathSet(globs)
  const changed = pathSet(distinctNames(pushed).map(fileGlob))
  const { deadline } = rules
  const [declared_only, changed_only] = [new Set<string>(), new Set<string>()]
  const isIn = (set: PathSet, ...found: Glob[]) => overlapsAny(set, found, { deadline })
  for (const glob of globsOfPaths(scope.paths))
    if (!isIgnored(glob, rules.ignore) && !(yield* isIn(changed, glob))) declared_only.add(glob.source)
  const sides = [
    { files: changed_files, others: changed, only: declared_only },
    { files: pushed, others: declared, only: changed_only },
  ]
  for (const { files, others, only } of sides)
    for (const file of files) {
      yield
      const isIgnoredFile = rules.ignore(file.path, true)
      if (!isIgnoredFile && !(yield* isIn(others, ...namesOf(file).map(fileGlob)))) only.add(file.path)
    }
  if (deadline.isOver) return null
  return {
    declared_only: [...declared_only].slice(0, DRIFT_MAX),
    changed_only: [...changed_only].slice(0, DRIFT_MAX),
  }
}
