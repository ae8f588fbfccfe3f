/** The text of the one comment on a pull request, and of the check run (contract §10). Pure: the same report, the same text. */
import { byRank } from '../overlap/severity.ts'
import type { Below, Report, ReportedNotable, ReportedWork } from './report.ts'

/** Finds the comment again; GitHub does not show it. */
export const MARKER = '<!-- deconflict:pull-request -->'

export const MUTE_LABEL = 'deconflict:mute'

const ROWS_MAX = 10
const EXAMPLES_MAX = 3
const TEXT_MAX = 120

const FOOTER = `<sub>Deconflict advises and never blocks. To silence it here, label this pull request \`${MUTE_LABEL}\`.</sub>`

/** The comment for a report. Where there is nothing to tell, it is for a pull request that was told something before. */
export function commentOf(report: Report): string {
  if (report.severity === null) {
    const { heading, text } = nothingToTell(report)
    const since = heading === NO_OVERLAP ? `${NO_OVERLAP} any more` : heading
    return [MARKER, `### ${since}`, text, ...caveatsOf(report), FOOTER].join('\n\n')
  }
  const parts = [MARKER, `### ${headline(report)}`]
  if (report.works.length > 0) parts.push(workTable(report.works))
  if (report.notables.length > 0) parts.push(notableList(report.notables))
  parts.push(`**What to do:** ${adviceOf(report)}`)
  return [...parts, ...caveatsOf(report), FOOTER].join('\n\n')
}

const NO_OVERLAP = 'No overlap'

/** What is said where nothing reaches the threshold: nothing found never looks like nothing looked at. */
export function nothingToTell(report: Report): { heading: string; text: string } {
  const { below, threshold, not_compared, is_complete } = report
  const worst = [...below.works, ...below.notables].sort(byRank)[0]?.severity
  if (worst !== undefined) {
    const why = threshold.is_of_draft
      ? `This is a draft, and drafts show \`${threshold.severity}\` severity and above (\`comment.draft_min_severity\`).`
      : `This repository shows \`${threshold.severity}\` severity and above (\`comment.min_severity\`).`
    return {
      heading: 'Overlap below the threshold',
      text: `${foundBelow(below)}, of \`${worst}\` severity at most. ${why}`,
    }
  }
  if (not_compared !== null)
    return { heading: 'Not compared', text: 'Whether anything overlaps is not known.' }
  if (!is_complete) return { heading: 'Compared only in part', text: comparedWith(report) }
  return { heading: NO_OVERLAP, text: comparedWith(report) }
}

/** What was found below the threshold, by name; undefined when that is nothing. */
export function belowList({ works, notables }: Below): string | undefined {
  if (works.length + notables.length === 0) return undefined
  const items = [
    ...works.map((work) => `${whatOf(work)} by ${whoOf(work)}: ${whereOf(work)} (${work.severity})`),
    ...notables.map(notableItem),
  ]
  return ['**Below the threshold**', '', ...listed(items)].join('\n')
}

/** What keeps the report from being the whole truth. */
export function caveatsOf({ not_compared, is_complete }: Report): string[] {
  const caveats: string[] = []
  if (not_compared !== null) caveats.push(`Other work was not compared: ${WHY[not_compared]}.`)
  else if (!is_complete) caveats.push('Not everything could be compared: there may be more.')
  return caveats
}

const WHY: Record<NonNullable<Report['not_compared']>, string> = {
  not_tracked:
    'this repository does not track pull requests (`track_pull_requests`), and no live activity names this one',
  not_live: 'the activity of this pull request was archived, finished or has expired',
  no_scope: 'its activity names neither paths nor areas',
  all_ignored: 'the settings of this repository ignore every file that this changes (`ignore_paths`)',
}

function foundBelow({ works, notables }: Below): string {
  const parts = [
    works.length > 0 ? count(works.length, 'other work overlaps', 'other works overlap') : '',
    notables.length > 0 ? count(notables.length, 'notable applies', 'notables apply') : '',
  ]
  return parts.filter(Boolean).join(' and ')
}

function comparedWith({ compared: { activities, notables, expected } }: Report): string {
  const works = count(activities, 'other live activity', 'other live activities')
  const signals = count(notables, 'active notable', 'active notables')
  const own =
    expected === 0
      ? ''
      : ` Of the activities, ${count(expected, 'is', 'are')} of its own branch or stack, which is expected.`
  return `Compared with ${works} and ${signals} when this was written; none was found to overlap.${own}`
}

function count(number: number, one: string, more: string): string {
  return `${number} ${number === 1 ? one : more}`
}

/** The comment of a pull request that was muted. */
export function mutedComment(): string {
  const how = `Muted by the label \`${MUTE_LABEL}\`. Take the label off to hear of overlaps here again.`
  return [MARKER, '### Muted', how].join('\n\n')
}

/** One line that says what there is, for the head of the comment and the title of a check run. */
export function headline({ works, notables }: Report): string {
  const others = works.length === 1 ? 'one other work' : `${works.length} other works`
  const signals = notables.length === 1 ? 'one notable applies' : `${notables.length} notables apply`
  if (works.length === 0) return `${signals[0]?.toUpperCase()}${signals.slice(1)} to this pull request`
  return `This pull request overlaps with ${others}${notables.length > 0 ? `, and ${signals}` : ''}`
}

function workTable(works: ReportedWork[]): string {
  const rows = works
    .slice(0, ROWS_MAX)
    .map((work) =>
      row([
        whoOf(work),
        whatOf(work),
        whereOf(work),
        work.severity,
        work.is_ahead ? 'ahead of this' : 'behind this',
      ]),
    )
  const more = works.length > ROWS_MAX ? `\n\n… and ${works.length - ROWS_MAX} more.` : ''
  return `${[row(['Who', 'What', 'Where both are', 'Severity', 'Order']), row(['---', '---', '---', '---', '---']), ...rows].join('\n')}${more}`
}

function whoOf({ actor }: ReportedWork): string {
  return quote(actor)
}

function whatOf({ pull_request, title, branch, stage }: ReportedWork): string {
  const link = pull_request ? `[#${pull_request.number}](${pull_request.url}) ` : ''
  const on = branch === null ? '' : ` on ${quote(branch)}`
  const state = { declared: 'no pull request yet', draft: 'draft', ready: 'ready for review' }[stage]
  return `${link}${quote(title)}${on} (${state})`
}

function whereOf({ examples, areas }: ReportedWork): string {
  const places = examples.length > 0 ? examples : areas.map((area) => `area ${area}`)
  const shown = places.slice(0, EXAMPLES_MAX).map(quote).join('<br>')
  return places.length > EXAMPLES_MAX ? `${shown}<br>…` : shown
}

function notableList(notables: ReportedNotable[]): string {
  return ['**Notables**', '', ...listed(notables.map(notableItem))].join('\n')
}

function notableItem({ severity, title, decision_url, where }: ReportedNotable): string {
  const decision = decision_url === null ? '' : `, [decision](<${linkable(decision_url)}>)`
  return `${quote(title)} (${severity}), for ${where === null ? 'the whole repository' : quote(where)}${decision}`
}

function listed(items: string[]): string[] {
  const more = items.length > ROWS_MAX ? [`- … and ${items.length - ROWS_MAX} more`] : []
  return [...items.slice(0, ROWS_MAX).map((item) => `- ${item}`), ...more]
}

function adviceOf({ works, notables, severity }: Report): string {
  const ahead = works.find((work) => work.is_ahead)
  const [first] = works
  if (ahead) {
    const wait = severity === 'high' ? 'talk to' : 'agree with'
    return `${nameOf(ahead)} is ahead: ${wait} ${quote(ahead.actor)} on who changes what, or merge after it and rebase.`
  }
  if (first)
    return `This pull request is ahead of ${nameOf(first)}; tell ${quote(first.actor)} what is about to change, or merge soon.`
  return notables.length === 1
    ? 'Read the notable before this is merged.'
    : 'Read the notables before this is merged.'
}

function nameOf({ pull_request, branch, title }: ReportedWork): string {
  if (pull_request) return `#${pull_request.number}`
  return branch === null ? quote(title) : quote(branch)
}

/** Whether `\\|` still escapes the bar, parsers of Markdown do not agree: each bar gets an odd number of backslashes. */
function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replace(/(\\*)\|/g, '$1$1\\|')).join(' | ')} |`
}

/**
 * Somebody's words as a code span, in which GitHub makes no markup, mention, link or reference of anything. What could
 * end the span or the table cell is taken care of; control and direction characters, which could hide text, are dropped.
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

/** An address in which nothing could end a link, begin markup or hide. What is encoded already stays as it is. */
function linkable(url: string): string {
  return encodeURI(url).replaceAll('%25', '%')
}
