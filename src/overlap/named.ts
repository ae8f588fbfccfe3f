/** The most severe records of an overlap by name, for short results (contract §6). Pure. */
import type { ComparedActivity } from '../activities/live-store.ts'
import type { NotableRow } from '../notables/table.ts'
import type { Found } from './find.ts'
import type { NamedMatch } from './overlap.ts'
import { byRank } from './severity.ts'

/** Collisions before notables of the same severity; each list in the order given. */
export function namedMatches(
  collisions: readonly Found<ComparedActivity>[],
  notables: readonly Found<NotableRow>[],
): NamedMatch[] {
  const activities = collisions.map((each) => {
    const { actor, branch, pr_url } = each.record
    return named(each, { actor, branch, pr_url })
  })
  const signals = notables.map((each) =>
    named(each, { actor: each.record.created_by, branch: null, pr_url: null }),
  )
  return [...activities, ...signals].toSorted(byRank)
}

function named(
  { id, severity, match, record }: Found<{ title: string }>,
  { actor, branch, pr_url }: Pick<NamedMatch, 'actor' | 'branch' | 'pr_url'>,
): NamedMatch {
  const example = match.paths[0]?.example ?? null
  return { id, title: record.title, actor, branch, pr_url, severity, example, lines: null }
}
