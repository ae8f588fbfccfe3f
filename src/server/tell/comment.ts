/** The text of the comment on a pull request (docs/contract/publishing.md#text). Pure. */

import { isForOneOfBoth, isSameWork, placeOf, saidIn } from '../../vocabulary/finding.ts'
import { numberNote } from '../../vocabulary/finding-kinds.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { capitalized, count, joined, minuteText } from '../../vocabulary/text.ts'
import { CONSEQUENCE_WORDS, doneSentence } from '../../vocabulary/verdict-words.ts'
import type { ReportedActivity } from './counterparts.ts'
import type { DoneBefore, Report, TakenOnBase } from './report.ts'
import {
  adviceAbout,
  caveatsOf,
  fixText,
  foldedList,
  linkedName,
  linkedNumber,
  nameOf,
  notableItem,
  notablesApply,
  nothingShown,
  placeItem,
  placesOf,
  quote,
  sentenceOf,
  subjectOf,
  titledList,
} from './report-words.ts'

/** Begins the comment, and identifies it. GitHub does not render it. */
export const MARKER = '<!-- deconflict:pull-request'

/** The version of the text. Raise it when a change affects the text of all comments. */
export const TEXT_VERSION = 3

export const MUTE_LABEL = 'deconflict:mute'

/** The comment for a report. A report without overlap replaces the text of an earlier comment. */
export function commentOf(report: Report): string {
  const { activities, notables, merged, done, taken } = report
  const parts: string[] = [markerOf(report.as_of)]
  if (report.severity === null && merged.length === 0) {
    const { heading, text } = nothingShown(report, 'any more')
    parts.push(`**${heading}.** ${text}`)
  }
  if (done !== null) parts.push(doneLine(done))
  parts.push(...taken.map(takenLine))
  if (activities.length === 1) parts.push(...aboutOne(activities[0] as ReportedActivity, report))
  if (activities.length > 1) parts.push(...aboutSeveral(report))
  if (notables.length > 0)
    parts.push(titledList(`${notablesApply(notables)} to this pull request`, notables.map(notableItem)))
  if (merged.length > 0) parts.push(mergedLine(merged))
  return [...parts, ...caveatsOf(report), footerOf(report)].join('\n\n')
}

/** The comment of a muted pull request. */
export function mutedComment(as_of: Date | null): string {
  const how = `**Muted.** To see overlaps here again, comment \`/deconflict unmute\`; a label \`${MUTE_LABEL}\` has to be removed.`
  return [markerOf(as_of), how].join('\n\n')
}

/** The last text of a comment in a repository, and its sentence. */
export function farewellComment(as_of: Date): { sentence: string; text: string } {
  const date = as_of.toISOString().slice(0, 10)
  const sentence = `Deconflict is not watching this repository any more (as of ${date}).`
  return { sentence, text: `${markerOf(as_of)}\n\n${sentence}` }
}

function markerOf(as_of: Date | null): string {
  return `${MARKER}${as_of === null ? '' : `, as of ${as_of.toISOString()}`} -->`
}

/** The title of the check run. */
export function headline({ activities, notables, done, taken }: Report): string {
  const others = count(activities.length, 'other activity', 'other activities')
  if (activities.length > 0)
    return `This pull request overlaps with ${others}${notables.length > 0 ? `; ${notablesApply(notables)}` : ''}`
  if (done !== null) return 'A merged pull request has most of the lines of this one'
  if (taken.length > 0) return 'A merged pull request takes a number or parent of this pull request'
  return `${notablesApply(notables)} to this pull request`
}

function aboutOne(activity: ReportedActivity, report: Report): string[] {
  const places = placesOf(activity)
  const word = capitalized(CONSEQUENCE_WORDS[activity.consequence])
  const sentence = `**${word}.** ${sentenceOf(subjectOf(activity), activity)}. ${adviceAbout('It', activity, report)}`
  const isSaid = places.length === 1 && !isSameWork(activity.findings)
  const isListed = !isSaid && activity.paths.length + saidIn(activity.findings).length > 0
  return isListed ? [sentence, foldedList(places.map(placeItem))] : [sentence]
}

/** First the advice about the most important activity, then by file which activities go first and which go after. */
function aboutSeveral(report: Report): string[] {
  const { activities } = report
  const named = activities.slice(0, OTHERS_SHOWN_MAX)
  const first = leadOf(named)
  const name = quote(nameOf(first))
  const why = isSameWork(first.findings) ? `${sentenceOf(name, first)}. ` : ''
  const parts = [`**${headline({ ...report, notables: [] })}.** ${why}${adviceAbout(name, first, report)}`]
  const [ahead, behind] = [named.filter((each) => each.is_ahead), named.filter((each) => !each.is_ahead)]
  if (ahead.length > 0) parts.push(`**Goes first**\n\n${byPlace(ahead)}`)
  if (behind.length > 0) parts.push(`**Goes after this pull request**\n\n${byPlace(behind)}`)
  const left = activities.length - named.length
  const all = report.page_url === null ? '' : ` ([all](${report.page_url}))`
  if (left > 0) parts.push(`… and ${left} more${all}.`)
  return parts
}

/** The activity that the advice is about: the first if one of both gives way, else the first in the merge queue, else the first ahead. */
function leadOf(all: ReportedActivity[]): ReportedActivity {
  const first = all[0] as ReportedActivity
  if (isForOneOfBoth(first.findings)) return first
  const activities = all.filter(({ is_same_author }) => is_same_author === first.is_same_author)
  return (
    activities.find(({ is_ahead, stage }) => is_ahead && stage === 'queued') ??
    activities.find(({ is_ahead }) => is_ahead) ??
    first
  )
}

/**
 * One list item per file or area, with the activities that change it. Only the first mention of an
 * activity has its title, its author and what the pair leads to.
 */
function byPlace(activities: ReportedActivity[]): string {
  const there = new Map<string, Map<ReportedActivity, string>>()
  const mentioned = new Set<ReportedActivity>()
  for (const activity of activities) {
    const places = placesOf(activity)
    const all = places.length > 0 ? places : [{ name: 'the same work', lines: '' }]
    for (const { name, lines } of all) {
      const here = there.get(name) ?? new Map()
      const isFirst = !mentioned.has(activity)
      const who = isFirst ? subjectOf(activity) : linkedName(activity)
      const how = [isFirst ? CONSEQUENCE_WORDS[activity.consequence] : '', lines].filter(Boolean).join(', ')
      mentioned.add(activity)
      there.set(name, here.set(activity, `${who} ${how}`.trim()))
    }
  }
  const items = [...there].map(([place, here]) => `${place}: ${[...here.values()].join('; ')}`)
  return foldedList(items)
}

function mergedLine(merged: Report['merged']): string {
  const [was, it] = merged.length === 1 ? ['was', 'it'] : ['were', 'them']
  return `${joined(merged.map(linkedNumber))} ${was} merged: rebase over ${it}.`
}

/** `#40 is merged and has 11 of the 12 lines that this adds. …` */
function doneLine(done: DoneBefore): string {
  const name = linkedNumber(done)
  return `**${doneSentence(name, done, 'this')}.** Compare the two before you go on: the work may be done.`
}

/** `0042` in `db/migrations` is taken on the base branch by #12 … */
function takenLine({ number, url, taken, fixes }: TakenOnBase): string {
  const items = taken.map((each) => {
    const who = linkedNumber({ number, url })
    if (each.kind === 'parent')
      return `${quote(each.theirs)} of ${who} is merged and builds on ${placeOf(each, quote)} too: change the parent of ${quote(each.yours)}`
    return `${placeOf(each, quote)} is taken on the base branch by ${who}${numberNote(each, quote)}`
  })
  return [`**${items[0]}.**`, ...items.slice(1).map((each) => `${each}.`), fixText(fixes)]
    .filter(Boolean)
    .join(' ')
}

function footerOf({ severity, page_url, as_of }: Report): string {
  const parts = [
    ...(severity === null ? [] : [`Severity: ${severity}`]),
    'Deconflict advises and never blocks',
    `mute: label \`${MUTE_LABEL}\` or comment \`/deconflict mute\``,
    '👍 / 👎 tells us whether this helped',
    ...(page_url === null ? [] : [`[open the page](${page_url})`]),
    ...(as_of === null ? [] : [`updated ${minuteText(as_of.toISOString())}`]),
  ]
  return `<sub>${parts.join(' · ')}</sub>`
}
