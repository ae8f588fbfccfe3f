/** The words for a report in which nothing is shown, and for what a report does not cover. Pure. */

import { byRank } from '../../vocabulary/severity.ts'
import { FILES_SHOWN_MAX, HIDDEN_BECAUSE } from '../../vocabulary/shown.ts'
import { count } from '../../vocabulary/text.ts'
import { titledList } from './markdown.ts'
import { notableItem, placeItem, placesOf, sentenceOf, subjectOf } from './overlap-words.ts'
import type { Report, Suppressed } from './report.ts'

/**
 * The heading and text if nothing is shown: no overlap, overlaps that are not shown, or not compared. `since`: `any more`
 * if an overlap was shown before.
 */
export function nothingShown(report: Report, since = ''): { heading: string; text: string } {
  const { suppressed, threshold, not_compared, is_complete } = report
  const worst = [...suppressed.activities, ...suppressed.notables].sort(byRank)[0]?.severity
  if (worst !== undefined) {
    const isBelow = suppressed.activities.every(({ suppression }) => suppression === 'below_threshold')
    const which = threshold.is_of_draft ? 'This is a draft, and drafts show' : 'This repository shows'
    const setting = threshold.is_of_draft ? 'comment.draft_min_severity' : 'comment.min_severity'
    const why = isBelow
      ? `${which} \`${threshold.severity}\` severity and above (\`${setting}\`).`
      : `${reasonsOf(suppressed)}.`
    return {
      heading: isBelow ? 'Overlap below the threshold' : 'Overlap not shown here',
      text: `${foundSuppressed(suppressed)}, of \`${worst}\` severity at most. ${why}`,
    }
  }
  if (not_compared !== null)
    return { heading: 'Not compared', text: 'It is unknown whether other activities overlap.' }
  if (!is_complete) return { heading: 'Compared in part', text: comparedWith(report) }
  return { heading: `No overlap ${since}`.trim(), text: comparedWith(report) }
}

/** Why overlapping work is not shown, each reason once. */
function reasonsOf({ activities }: Suppressed): string {
  const reasons = new Map<string, number>()
  for (const { suppression } of activities)
    reasons.set(HIDDEN_BECAUSE[suppression], (reasons.get(HIDDEN_BECAUSE[suppression]) ?? 0) + 1)
  return [...reasons].map(([reason, times]) => `${times} ${times === 1 ? 'is' : 'are'} ${reason}`).join('; ')
}

/** The list of overlaps that are not shown; undefined if there are none. */
export function suppressedList({ activities, notables }: Suppressed): string | undefined {
  if (activities.length + notables.length === 0) return undefined
  const items = activities.map((activity) => {
    const places = placesOf(activity).slice(0, FILES_SHOWN_MAX).map(placeItem).join('; ')
    const why = `(${activity.severity}, ${HIDDEN_BECAUSE[activity.suppression]})`
    return `${places === '' ? `${sentenceOf(subjectOf(activity), activity)}` : `${subjectOf(activity)}: ${places}`} ${why}`
  })
  return titledList('Not shown in comments', [...items, ...notables.map(notableItem)])
}

/** What the report does not cover. */
export function caveatsOf({ not_compared, is_complete }: Report): string[] {
  const caveats: string[] = []
  if (not_compared !== null) caveats.push(`Other activities were not compared: ${WHY[not_compared]}.`)
  else if (!is_complete) caveats.push('The comparison was cut short; there may be more overlaps.')
  return caveats
}

const WHY: Record<NonNullable<Report['not_compared']>, string> = {
  not_tracked:
    'this repository does not track pull requests (`track_pull_requests`), and no live activity is linked to this one',
  not_live: 'the activity of this pull request is archived, finished or expired',
  no_scope: 'its activity names neither paths nor areas',
  all_ignored:
    'every changed file is noise or ignored in this repository (`noise_classes`, `noise_paths`, `ignore_paths`)',
}

function foundSuppressed({ activities, notables }: Suppressed): string {
  const parts = [
    activities.length > 0
      ? count(activities.length, 'other activity overlaps', 'other activities overlap')
      : '',
    notables.length > 0 ? count(notables.length, 'notable applies', 'notables apply') : '',
  ]
  return parts.filter(Boolean).join(' and ')
}

function comparedWith({ compared: { activities, notables, expected } }: Report): string {
  const others = count(activities, 'other live activity', 'other live activities')
  const signals = count(notables, 'active notable', 'active notables')
  const own =
    expected === 0
      ? ''
      : ` ${count(expected, 'activity belongs', 'activities belong')} to the same branch or stack.`
  return `Compared with ${others} and ${signals}; none overlaps.${own}`
}
