/** The strongest verdict among the files that both sides change (docs/contract/lines.md#verdicts). */
import type { LinesFinding } from '../../vocabulary/finding.ts'
import { overlapSeverity, type Severity } from '../../vocabulary/severity.ts'
import type { Weight } from '../../vocabulary/weight.ts'
import type { Kind } from './kind.ts'

export const lines: Kind<'lines'> = {
  leadsTo({ verdict }) {
    if (verdict === 'noise') return null
    if (verdict === 'conflict') return 'conflict'
    return verdict === 'unknown' ? 'possible' : 'same_file'
  },
  severityOf,
  find({ pair: { strongest, files, lacks_patch } }) {
    if (strongest === null) return []
    const { verdict, confidence, your_lines, their_lines } = strongest
    // If more files are shared than were compared, the strongest verdict is about one that was not.
    const path = (files.find((each) => each.verdict === verdict) ?? files[0])?.path ?? ''
    return [{ kind: 'lines', path, verdict, confidence, your_lines, their_lines, lacks_patch }]
  },
}

function severityOf({ verdict, confidence, lacks_patch }: LinesFinding, weight: Weight): Severity | null {
  if (verdict === 'conflict') return confidence === 'proved' ? 'high' : overlapSeverity('path', weight)
  // An intention, of which nobody can say which lines it will change, weighs more than a patch that GitHub left out.
  if (verdict === 'unknown') return overlapSeverity(lacks_patch ? 'path' : 'area', weight)
  return null
}
