/** Declared paths or areas that meet, where the lines of one side are not known (docs/contract/overlap.md#paths). */
import { overlapSeverity } from '../../vocabulary/severity.ts'
import type { Kind } from './kind.ts'

export const paths: Kind<'paths'> = {
  leadsTo: () => 'possible',
  severityOf: (_, weight) => overlapSeverity('path', weight),
}

export const areas: Kind<'areas'> = {
  leadsTo: () => 'possible',
  severityOf: (_, weight) => overlapSeverity('area', weight),
}
