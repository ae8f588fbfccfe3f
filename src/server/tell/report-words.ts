/**
 * The words of a report in Markdown, in which text from users cannot become markup: who overlaps, where, what to do, and
 * what is not shown. Pure.
 */

import { adviceOf, adviceSentence, STAGE_WORDS } from '../../vocabulary/advice.ts'
import { isForOneOfBoth, isSameWork, saidIn } from '../../vocabulary/finding.ts'
import { byRank } from '../../vocabulary/severity.ts'
import { FILES_SHOWN_MAX, HIDDEN_BECAUSE } from '../../vocabulary/shown.ts'
import { count, joined, sanitize } from '../../vocabulary/text.ts'
import { areasText, overlapSentence, placeText } from '../../vocabulary/verdict-words.ts'
import type { ReportedActivity } from './counterparts.ts'
import type { Report, ReportedNotable, Suppressed } from './report.ts'

/** A pull request by number and title, declared work by title and branch. */
export function subjectOf(activity: ReportedActivity): string {
  const { pull_request, title, branch, actor, stage, conflicts_with_base } = activity
  const names = [
    pull_request === null ? '' : linkedNumber(pull_request),
    title === null ? '' : quote(title),
    branch === null || pull_request !== null ? '' : `on ${quote(branch)}`,
  ]
  const also = conflicts_with_base ? ', conflicts with its own base' : ''
  return [...names, `(${quote(actor)}, ${STAGE_WORDS[stage].label}${also})`].filter(Boolean).join(' ')
}

/** The number of the pull request, else the branch or title. It is not quoted. */
export function nameOf({ pull_request, branch, title }: ReportedActivity): string {
  return pull_request ? `#${pull_request.number}` : (branch ?? title ?? 'it')
}

export function linkedName(activity: ReportedActivity): string {
  return activity.pull_request ? linkedNumber(activity.pull_request) : quote(nameOf(activity))
}

/** One sentence without its full stop. `who` is quoted. */
export function sentenceOf(who: string, activity: ReportedActivity): string {
  const { findings, paths } = activity
  return paths.length > 1 && !isForOneOfBoth(findings)
    ? `${who} overlaps with this pull request in ${paths.length} files`
    : overlapSentence(who, activity, 'this pull request', quote)
}

/** Where an overlap is: a file and the lines in it, or an area. */
interface Place {
  /** The file or area, quoted. */
  name: string
  /** `lines 40–52 (yours: lines 38–50)`; empty if lines were not compared. */
  lines: string
}

/** What both take first, such as a number, then the files, or else the areas. */
export function placesOf({ findings, paths, areas }: ReportedActivity): Place[] {
  const taken = saidIn(findings).map(({ finding, words }) => ({
    name: words.place(finding, quote),
    lines: words.short,
  }))
  const shared =
    paths.length === 0
      ? areas.map((area) => ({ name: areasText([area], quote), lines: '' }))
      : paths.map((path) => ({ name: quote(path.example), lines: placeText(path) }))
  return [...taken, ...shared]
}

/** `a.ts`, lines 40–52. */
export function placeItem({ name, lines }: Place): string {
  return lines === '' ? name : `${name}, ${lines}`
}

/** What the author of a pull request should do about the activity, which is `it`. */
export function adviceAbout(
  it: string,
  activity: ReportedActivity,
  { stage, may_merge }: Pick<Report, 'stage' | 'may_merge'>,
): string {
  const { findings, fixes, actor, is_ahead, is_same_author } = activity
  const advice = adviceOf(activity, {
    whose: is_same_author ? 'own' : 'other',
    person: quote(actor),
    own: { name: 'This pull request', stage },
    other: { name: it, stage: activity.stage },
    is_ahead: !is_ahead,
    may_merge,
  })
  const isGivingWay = is_ahead && !isSameWork(findings)
  return [adviceSentence(advice), isGivingWay ? fixText(fixes) : ''].filter(Boolean).join(' ')
}

/** The commands and lines with which a pull request gives way, each in a code span; empty if none is known. */
export function fixText(fixes: readonly string[]): string {
  const known = [...new Set(fixes)]
  return known.length === 0 ? '' : `${joined(known.map((fix) => quote(fix)))}.`
}

export function notableItem({ severity, title, decision_url, where }: ReportedNotable): string {
  const decision = decision_url === null ? '' : `, [decision](<${linkable(decision_url)}>)`
  return `${quote(title)} (${severity}), for ${where === null ? 'the whole repository' : quote(where)}${decision}`
}

const TEXT_MAX = 120
const ITEMS_MAX = 10

/**
 * Text from users, sanitized, as a code span, in which GitHub renders no markup, mention, link or reference. Backticks and
 * line breaks cannot end the span.
 */
export function quote(text: string): string {
  const line = sanitize(text)
  const clipped = [...line].length > TEXT_MAX ? `${[...line].slice(0, TEXT_MAX).join('')}…` : line
  const longest = Math.max(0, ...[...clipped.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 || clipped === '' ? ' ' : ''
  return `${fence}${pad}${clipped}${pad}${fence}`
}

/**
 * A URL that cannot end the link or start markup. Existing percent-encoding stays. On github.com, an issue or a pull request is
 * linked through a redirecting host, for which GitHub enters no mention there. Other hosts have none.
 */
export function linkable(url: string): string {
  return encodeURI(url.replace(MENTIONED, 'https://redirect.github.com/')).replaceAll('%25', '%')
}

const MENTIONED = /^https:\/\/(?:www\.)?github\.com\/(?=[^/]+\/[^/]+\/(?:discussions|issues|pull)\/\d)/i

/** The number of a pull request with a link. */
export function linkedNumber({ number, url }: { number: number; url: string }): string {
  return `[\`#${number}\`](${linkable(url)})`
}

/** A list with a bold title: at most ten items, and the number of the others. */
export function titledList(title: string, items: string[]): string {
  return `**${title}**\n\n${bullets(items)}`
}

/** A list of places, of which those after the first few are folded: at most ten, and the number of the others. */
export function foldedList(items: string[]): string {
  const open = bullets(items.slice(0, FILES_SHOWN_MAX))
  const folded = items.slice(FILES_SHOWN_MAX)
  if (folded.length === 0) return open
  return `${open}\n\n<details><summary>${folded.length} more</summary>\n\n${bullets(folded)}\n\n</details>`
}

function bullets(items: string[]): string {
  const more = items.length > ITEMS_MAX ? [`… and ${items.length - ITEMS_MAX} more`] : []
  return [...items.slice(0, ITEMS_MAX), ...more].map((item) => `- ${item}`).join('\n')
}

/**
 * The heading and text if nothing is shown: no overlap, overlaps that are not shown, or not compared. `since`: `any more`
 * if an overlap was shown before.
 */
export function nothingShown(report: Report, since = ''): { heading: string; text: string } {
  const { suppressed, threshold, not_compared, gap } = report
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
  if (gap !== null) return { heading: 'Compared in part', text: comparedWith(report) }
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
export function caveatsOf({ not_compared, gap }: Report): string[] {
  if (not_compared !== null) return [`Other activities were not compared: ${WHY[not_compared]}.`]
  return gap === null ? [] : [gap]
}

const WHY: Record<NonNullable<Report['not_compared']>, string> = {
  not_tracked:
    'this repository does not track pull requests (`track_pull_requests`), and no live activity is linked to this one',
  not_live: 'the activity of this pull request is archived, finished or expired',
  nothing_given: 'its activity names neither paths nor areas',
  all_ignored:
    'every changed file is noise or ignored in this repository (`noise_classes`, `noise_paths`, `ignore_paths`)',
}

function foundSuppressed({ activities, notables }: Suppressed): string {
  const overlaps = count(activities.length, 'other activity overlaps', 'other activities overlap')
  if (notables.length === 0) return overlaps
  return activities.length === 0 ? notablesApply(notables) : `${overlaps} and ${notablesApply(notables)}`
}

/** `1 notable applies`. */
export function notablesApply(notables: readonly ReportedNotable[]): string {
  return count(notables.length, 'notable applies', 'notables apply')
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
