/** A migration that new migrations of both sides build on (docs/contract/numbers.md#parents). */
import { sharedTaken } from '../lines/taken.ts'
import type { Kind } from './kind.ts'

export const parent: Kind<'parent'> = {
  leadsTo: () => 'same_number',
  severityOf: () => 'high',
  find: ({ yours, theirs, numbers: rules }) =>
    sharedTaken('parent', { yours: yours.taking, theirs: theirs.taking, rules }),
}
