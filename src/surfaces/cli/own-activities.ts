/** One's own work where the service is told of no branch, as on the base: it cannot tell it from that of others, but this working tree remembers it. */
import type { OutputOf } from '../../operations/contract.ts'
import { byRank, highest } from '../../overlap/severity.ts'
import type { Place } from './place.ts'
import { branchKey, recall, recallSessions } from './state.ts'

type Overlap = OutputOf<'checkOverlap'>
type Match = Overlap['matches'][number]

/** Ids of what was announced from this working tree: by hand on its branch, and by the sessions of agents. */
export async function announcedHere({ git_directory, branch }: Place): Promise<Set<string>> {
  if (git_directory === null) return new Set()
  const all = [await recall(git_directory, branchKey(branch)), ...(await recallSessions(git_directory))]
  return new Set(all.flatMap(({ activity_id }) => activity_id ?? []))
}

/** The overlap as it is without the activities `own`. */
export function withoutOwn(overlap: Overlap, own: ReadonlySet<string>): Overlap {
  const isOthers = (id: string) => !own.has(id)
  const related_activity_ids = overlap.related_activity_ids.filter(isOthers)
  const left_out = overlap.related_activity_ids.length - related_activity_ids.length
  if (left_out === 0) return overlap
  const matches = overlap.matches.filter(({ id }) => isOthers(id))
  const severity = highest(matches)
  const total_related = overlap.total_related - left_out
  return {
    ...overlap,
    overlap_detected: total_related > 0,
    severity,
    ...(total_related === 0
      ? wordsOnNone(overlap.checked_against)
      : {
          reason: `${overlap.reason} Your own work is among what overlaps, and not counted; without it the severity is ${severity}.`,
          // The service speaks of the first collision alone.
          recommended_action: isOthers(overlap.related_activity_ids[0] as string)
            ? overlap.recommended_action
            : adviceOn(matches),
        }),
    related_activity_ids,
    relationships: Object.fromEntries(Object.entries(overlap.relationships).filter(([id]) => isOthers(id))),
    matches,
    total_related,
  }
}

type OverlapNow = NonNullable<OutputOf<'heartbeatActivity'>['overlap']>

/** The short form likewise; of its severity only what the named ones tell is known then. */
export function briefWithoutOwn(overlap: OverlapNow, own: ReadonlySet<string>): OverlapNow {
  const related_activity_ids = overlap.related_activity_ids.filter((id) => !own.has(id))
  if (related_activity_ids.length === overlap.related_activity_ids.length) return overlap
  const matches = overlap.matches.filter(({ id }) => !own.has(id))
  const overlap_detected = related_activity_ids.length + matches.length > 0
  const severity = overlap_detected ? (highest(matches) ?? overlap.severity) : null
  return { overlap_detected, severity, related_activity_ids, matches }
}

function wordsOnNone({
  complete,
}: Overlap['checked_against']): Pick<Overlap, 'reason' | 'recommended_action'> {
  return complete
    ? { reason: 'No overlap, besides your own work.', recommended_action: 'Go ahead.' }
    : {
        reason:
          'No overlap was found, besides your own work, but the check reached its bound before it had compared everything.',
        recommended_action: 'Narrow the scope for a complete answer, and check again.',
      }
}

/** As the service advises, on the gravest collision and the gravest notable; of titles and people a match knows nothing. */
function adviceOn(matches: readonly Match[]): string {
  const collision = matches.find((each) => !isNotable(each))
  const notable = matches.find(isNotable)
  return [collision, notable]
    .filter((each) => each !== undefined)
    .toSorted(byRank)
    .map(adviceAbout)
    .join(' ')
}

function adviceAbout(match: Match): string {
  const { id, severity } = match
  if (isNotable(match)) return `Read the notable ${id} first.`
  switch (severity) {
    case 'high':
      return `Talk to whoever works on ${id} before you change anything there: wait, split the work, or build on theirs.`
    case 'medium':
      return `Agree with whoever works on ${id} on who changes what, or narrow your scope.`
    case 'low':
      return `Go ahead, and keep an eye on ${id}.`
  }
}

function isNotable({ id }: Match): boolean {
  return id.startsWith('ntb_')
}
