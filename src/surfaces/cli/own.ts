/** One's own work among what a check found: on the base branch the service cannot tell it from that of others. */
import type { OutputOf } from '../../operations/contract.ts'

type Overlap = OutputOf<'checkOverlap'>

/** The overlap as it is without the activity `id`. */
export function withoutOwn(overlap: Overlap, id: string | null): Overlap {
  if (id === null || !overlap.related_activity_ids.includes(id)) return overlap
  const matches = overlap.matches.filter((match) => match.id !== id)
  const { [id]: _own, ...relationships } = overlap.relationships
  const total_related = overlap.total_related - 1
  const isAlone = total_related === 0
  return {
    ...overlap,
    overlap_detected: !isAlone,
    severity: matches[0]?.severity ?? null,
    reason: isAlone
      ? 'No overlap, besides your own work.'
      : `${overlap.reason} Your own work is among them, and not counted.`,
    recommended_action: isAlone
      ? 'Go ahead.'
      : 'Agree with the others on who changes what, or narrow your scope.',
    related_activity_ids: overlap.related_activity_ids.filter((each) => each !== id),
    relationships,
    matches,
    total_related,
  }
}
