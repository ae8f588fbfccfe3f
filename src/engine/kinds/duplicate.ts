/** Two sides that seem to do the same work, by the lines that they add (docs/contract/lines.md#duplicates). */
import { sharedCount } from '../lines/fingerprint.ts'
import type { Kind } from './kind.ts'

/** Of the lines that the smaller side adds, the share that the other side must add too. */
const SHARE_MIN = 0.5
const ADDED_LINES_MIN = 5

export const duplicate: Kind<'duplicate'> = {
  leadsTo: () => 'same_work',
  severityOf: () => 'high',
  find({ yours, theirs, is_contained }) {
    const added_lines = Math.min(yours.fingerprint.length, theirs.fingerprint.length)
    const share = added_lines === 0 ? 0 : sharedCount(yours.fingerprint, theirs.fingerprint) / added_lines
    if (is_contained) return [{ kind: 'duplicate', share: 1, added_lines }]
    return added_lines >= ADDED_LINES_MIN && share >= SHARE_MIN
      ? [{ kind: 'duplicate', share, added_lines }]
      : []
  },
}
