/** The text of the one comment on a pull request, and of the check run (contract §10). Pure: the same report, the same text. */
import type { Report, ReportedNotable, ReportedWork } from './report.ts'

/** Finds the comment again; GitHub does not show it. */
export const MARKER = '<!-- deconflict:pull-request -->'

export const MUTE_LABEL = 'deconflict:mute'

const ROWS_MAX = 10
const EXAMPLES_MAX = 3
const TEXT_MAX = 120

const FOOTER = `<sub>Deconflict advises and never blocks. To silence it here, label this pull request \`${MUTE_LABEL}\`.</sub>`

/** The comment for a report. */
export function commentOf(report: Report): string {
  const parts = [MARKER, `### ${headline(report)}`]
  if (report.works.length > 0) parts.push(workTable(report.works))
  if (report.notables.length > 0) parts.push(notableList(report.notables))
  parts.push(`**What to do:** ${adviceOf(report)}`)
  if (!report.is_complete) parts.push('Not everything could be compared: there may be more.')
  return [...parts, FOOTER].join('\n\n')
}

/** The comment when what it told of is gone. */
export function clearedComment(): string {
  return [
    MARKER,
    '### No overlap any more',
    'What overlapped with this pull request is merged, closed or moved on.',
    FOOTER,
  ].join('\n\n')
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
  const items = notables.slice(0, ROWS_MAX).map(({ severity, title, decision_url, where }) => {
    const decision = decision_url === null ? '' : `, [decision](<${linkable(decision_url)}>)`
    return `- ${quote(title)} (${severity}), for ${where === null ? 'the whole repository' : quote(where)}${decision}`
  })
  const more = notables.length > ROWS_MAX ? [`- … and ${notables.length - ROWS_MAX} more`] : []
  return ['**Notables**', '', ...items, ...more].join('\n')
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
