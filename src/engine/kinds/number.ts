/** A number that new files of both sides take (docs/contract/numbers.md#numbers). */
import { sharedTaken } from '../lines/taken.ts'
import type { Kind } from './kind.ts'

export const number: Kind<'number'> = {
  leadsTo: () => 'same_number',
  severityOf: () => 'high',
  find: ({ yours, theirs, numbers: rules }) =>
    sharedTaken('number', { yours: yours.taking, theirs: theirs.taking, rules }),
}
