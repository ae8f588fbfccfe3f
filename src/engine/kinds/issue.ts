/** An issue that both sides are on, or close (docs/contract/lines.md#duplicates). */
import type { IssueFinding } from '../../vocabulary/finding.ts'
import type { Kind } from './kind.ts'
import type { Intent } from './side.ts'

export const issue: Kind<'issue'> = {
  leadsTo: () => 'same_work',
  severityOf: () => 'high',
  find: ({ yours, theirs }) => sharedIssue(yours, theirs),
}

/** The first issue that both close; sides without changed files can share one, too. */
export function sharedIssue(yours: Pick<Intent, 'closes'>, theirs: Pick<Intent, 'closes'>): IssueFinding[] {
  const shared = [...yours.closes].find((each) => theirs.closes.has(each))
  return shared === undefined ? [] : [{ kind: 'issue', issue: shared }]
}
