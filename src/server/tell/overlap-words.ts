/** Describes one overlapping pull request or branch in Markdown: who it is, where it overlaps, what to do. Pure. */

import { adviceOf, adviceSentence } from '../../vocabulary/advice.ts'
import { isForOneOfBoth, isSameWork, saidIn } from '../../vocabulary/finding.ts'
import { STAGE_WORDS } from '../../vocabulary/standing.ts'
import { joined } from '../../vocabulary/text.ts'
import { areasText, overlapSentence, placeText } from '../../vocabulary/verdict-words.ts'
import { linkable, linkedNumber, quote } from './markdown.ts'
import type { Report, ReportedActivity, ReportedNotable } from './report.ts'

/** A pull request by number and title, declared work by title and branch. */
export function subjectOf({ pull_request, title, branch, actor, stage }: ReportedActivity): string {
  const names = [
    pull_request === null ? '' : linkedNumber(pull_request),
    title === null ? '' : quote(title),
    branch === null || pull_request !== null ? '' : `on ${quote(branch)}`,
  ]
  return [...names, `(${quote(actor)}, ${STAGE_WORDS[stage].label})`].filter(Boolean).join(' ')
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
export interface Place {
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
