/** A notable that applies to the work (docs/contract/overlap.md#notables). */
import { overlapSeverity } from '../../vocabulary/severity.ts'
import type { Kind } from './kind.ts'

export const notable: Kind<'notable'> = {
  leadsTo: () => null,
  severityOf: (_, weight) => overlapSeverity('notable', weight),
}
