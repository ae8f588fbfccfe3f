/** Finds the names that one pull request takes away and another one uses anew. Pure. */
import { addTo } from '../base/lists.ts'
import type { ChangedName, NameKind } from './changed-names.ts'

export interface NameMatch<Own extends ChangedName, Their extends ChangedName> {
  /** What the side that does not use the name does. */
  reason: Exclude<NameKind, 'used'>
  own: Own
  theirs: Their
}

export function matchNames<Own extends ChangedName, Their extends ChangedName>(
  own: readonly Own[],
  theirs: readonly Their[],
): NameMatch<Own, Their>[] {
  const byKey = new Map<number, Own[]>()
  for (const each of own) addTo(byKey, each.key, each)
  return theirs.flatMap((their) =>
    (byKey.get(their.key) ?? []).flatMap((each) => {
      const reason = reasonOf(each, their) ?? reasonOf(their, each)
      return reason === null ? [] : [{ reason, own: each, theirs: their }]
    }),
  )
}

function reasonOf(one: ChangedName, other: ChangedName): Exclude<NameKind, 'used'> | null {
  return one.kind === 'used' && other.kind !== 'used' ? other.kind : null
}
