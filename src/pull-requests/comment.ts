/** The text of the comment on a pull request and of the check run (contract §10). Pure. */
import { duplicateText, placeSentence } from '../lines/verdict-words.ts'
import { byRank } from '../overlap/severity.ts'
import { NAMED_MAX, type Suppression } from '../signal/audience.ts'
import type { Report, ReportedActivity, ReportedNotable, ReportedPath, Suppressed } from './report.ts'
import type { Stage } from './standing.ts'

/** Identifies the comment. GitHub does not render it. */
export const MARKER = '<!-- deconflict:pull-request -->'

/** To be raised with each change of the words that all comments have. */
export const TEXT_VERSION = 1

export const MUTE_LABEL = 'deconflict:mute'

const NOTABLES_MAX = 10
const PATHS_MAX = 3
const TEXT_MAX = 120

const FOOTER = `<sub>Deconflict advises and never blocks. To silence it here, label this pull request \`${MUTE_LABEL}\`.</sub>`

/** The comment for a report. A report without overlap replaces the text of an earlier comment. */
export function commentOf(report: Report): string {
  if (report.severity === null) {
    if (report.merged.length > 0) return [MARKER, mergedLine(report.merged), FOOTER].join('\n\n')
    const { heading, text } = nothingShown(report)
    const since = heading === NO_OVERLAP ? `${NO_OVERLAP} any more` : heading
    return [MARKER, `### ${since}`, text, ...caveatsOf(report), FOOTER].join('\n\n')
  }
  const parts = [MARKER, `### ${headline(report)}`]
  if (report.activities.length > 0) parts.push(activityTable(report))
  if (report.notables.length > 0) parts.push(notableList(report.notables))
  if (report.merged.length > 0) parts.push(mergedLine(report.merged))
  parts.push(`**What to do:** ${adviceOf(report)}`)
  return [...parts, ...caveatsOf(report), FOOTER].join('\n\n')
}

const NO_OVERLAP = 'No overlap'

function mergedLine(merged: Report['merged']): string {
  const names = merged.map(({ number, url }) => `[\`#${number}\`](${url})`)
  const [last = '', ...others] = names.toReversed()
  const all = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
  return `${all} ${merged.length === 1 ? 'was' : 'were'} merged: rebase over ${merged.length === 1 ? 'it' : 'them'}.`
}

/** The text if nothing is shown. It distinguishes “no overlap” from “not shown” and “not compared”. */
export function nothingShown(report: Report): { heading: string; text: string } {
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
  return { heading: NO_OVERLAP, text: comparedWith(report) }
}

const SUPPRESSIONS: Record<Suppression, string> = {
  below_threshold: 'below the threshold',
  stale: 'not pushed recently',
  bot: 'by a bot',
  same_author: 'by the same author',
  other_side: 'left to the side that came later',
  over_budget: 'left out because too many pull requests have a comment (`comment.budget`)',
}

/** Why overlapping work is not shown, each reason once. */
function reasonsOf({ activities }: Suppressed): string {
  const reasons = new Map<string, number>()
  for (const { suppression } of activities)
    reasons.set(SUPPRESSIONS[suppression], (reasons.get(SUPPRESSIONS[suppression]) ?? 0) + 1)
  return [...reasons].map(([reason, times]) => `${times} ${times === 1 ? 'is' : 'are'} ${reason}`).join('; ')
}

/** The list of overlaps that are not shown; undefined if there are none. */
export function suppressedList({ activities, notables }: Suppressed): string | undefined {
  if (activities.length + notables.length === 0) return undefined
  const items = [
    ...activities.map(
      (activity) =>
        `${whatOf(activity)} by ${whoOf(activity)}: ${whereOf(activity)} (${activity.severity}, ${SUPPRESSIONS[activity.suppression]})`,
    ),
    ...notables.map(notableItem),
  ]
  return ['**Not shown in comments**', '', ...listed(items)].join('\n')
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

function count(number: number, one: string, more: string): string {
  return `${number} ${number === 1 ? one : more}`
}

/** The comment of a muted pull request. */
export function mutedComment(): string {
  const how = `Muted by the label \`${MUTE_LABEL}\`. Remove the label to see overlaps here again.`
  return [MARKER, '### Muted', how].join('\n\n')
}

/** The heading of the comment and title of the check run. */
export function headline({ activities, notables }: Report): string {
  const others = count(activities.length, 'other activity', 'other activities')
  const signals = count(notables.length, 'notable applies', 'notables apply')
  if (activities.length === 0) return `${signals} to this pull request`
  return `This pull request overlaps with ${others}${notables.length > 0 ? `; ${signals}` : ''}`
}

function activityTable({ activities, page_url }: Report): string {
  const rows = activities
    .slice(0, NAMED_MAX)
    .map((activity) =>
      row([
        whoOf(activity),
        whatOf(activity),
        whereOf(activity),
        activity.severity,
        activity.is_ahead ? 'ahead of this' : 'behind this',
      ]),
    )
  const left = activities.length - NAMED_MAX
  const all = page_url === null ? '' : ` ([all](${page_url}))`
  const more = left > 0 ? `\n\n… and ${left} more${all}.` : ''
  return `${[row(['Who', 'What', 'Overlap', 'Severity', 'Order']), row(['---', '---', '---', '---', '---']), ...rows].join('\n')}${more}`
}

function whoOf({ actor }: ReportedActivity): string {
  return quote(actor)
}

const STATES: Record<Stage, string> = {
  declared: 'no pull request yet',
  draft: 'draft',
  ready: 'ready for review',
  queued: 'in the merge queue',
}

function whatOf({ pull_request, title, branch, stage }: ReportedActivity): string {
  const parts = [
    pull_request ? `[#${pull_request.number}](${pull_request.url})` : '',
    title === null ? '' : quote(title),
    branch === null ? '' : `on ${quote(branch)}`,
    `(${STATES[stage]})`,
  ]
  return parts.filter(Boolean).join(' ')
}

function whereOf(activity: ReportedActivity): string {
  const { paths, areas, duplicate } = activity
  const places =
    paths.length > 0
      ? paths.map((path) => placeOf(activity, path))
      : areas.map((area) => quote(`area ${area}`))
  const shown = [
    ...(duplicate ? [duplicateText(quote(nameOf(activity)), duplicate, quote)] : []),
    ...places.slice(0, PATHS_MAX),
    ...(places.length > PATHS_MAX ? ['…'] : []),
  ]
  return shown.join('<br>')
}

function placeOf(activity: ReportedActivity, { verdict, ...path }: ReportedPath): string {
  if (verdict === null) return quote(path.example)
  return placeSentence(quote(nameOf(activity)), { ...path, verdict }, quote)
}

function notableList(notables: ReportedNotable[]): string {
  return ['**Notables**', '', ...listed(notables.map(notableItem))].join('\n')
}

function notableItem({ severity, title, decision_url, where }: ReportedNotable): string {
  const decision = decision_url === null ? '' : `, [decision](<${linkable(decision_url)}>)`
  return `${quote(title)} (${severity}), for ${where === null ? 'the whole repository' : quote(where)}${decision}`
}

function listed(items: string[]): string[] {
  const more = items.length > NOTABLES_MAX ? [`- … and ${items.length - NOTABLES_MAX} more`] : []
  return [...items.slice(0, NOTABLES_MAX).map((item) => `- ${item}`), ...more]
}

function adviceOf({ activities, notables, severity }: Report): string {
  const ahead =
    activities.find(({ is_ahead, stage }) => is_ahead && stage === 'queued') ??
    activities.find((activity) => activity.is_ahead)
  const [first] = activities
  const twin = activities.find((activity) => activity.duplicate !== null)
  if (twin)
    return `${quote(nameOf(twin))} seems to do the same: agree with ${quote(twin.actor)} on which of the two to continue.`
  if (ahead?.stage === 'queued')
    return `${quote(nameOf(ahead))} is in the merge queue and goes first: rebase once it is merged.`
  if (ahead) {
    const how = severity === 'high' ? 'talk to' : 'coordinate with'
    return `${quote(nameOf(ahead))} is ahead: ${how} ${quote(ahead.actor)}, or merge after it and rebase.`
  }
  if (first)
    return `This pull request is ahead of ${quote(nameOf(first))}; tell ${quote(first.actor)} what will change, or merge soon.`
  return notables.length === 1 ? 'Read the notable before you merge.' : 'Read the notables before you merge.'
}

/** Not quoted. */
export function nameOf({ pull_request, branch, title }: ReportedActivity): string {
  return pull_request ? `#${pull_request.number}` : (branch ?? title ?? 'it')
}

/** Markdown parsers disagree on `\\|`, so each bar gets an odd number of backslashes. */
function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replace(/(\\*)\|/g, '$1$1\\|')).join(' | ')} |`
}

/**
 * Text from users as a code span, in which GitHub renders no markup, mention, link or reference. Backticks and line breaks
 * cannot end the span. Control and direction characters, which could hide text, are removed.
 */
export function quote(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  const clipped = [...line].length > TEXT_MAX ? `${[...line].slice(0, TEXT_MAX).join('')}…` : line
  const longest = Math.max(0, ...[...clipped.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 || clipped === '' ? ' ' : ''
  return `${fence}${pad}${clipped}${pad}${fence}`
}

/** A URL that cannot end the link or start markup. Existing percent-encoding stays. */
function linkable(url: string): string {
  return encodeURI(url).replaceAll('%25', '%')
}
