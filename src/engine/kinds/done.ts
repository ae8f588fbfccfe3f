/** Work that a merged pull request has done already (docs/contract/issues.md#done-already). */
import type { Kind } from './kind.ts'

export const done: Kind<'done'> = {
  leadsTo: () => 'same_work',
  severityOf: () => 'high',
}
