/** Describes one overlapping pull request or branch: who it is, where it overlaps, what to do. Pure. */

import type { Stage } from '../../vocabulary/standing.ts'
import { duplicateText, placeSentence, placeText } from '../../vocabulary/verdict-words.ts'
import { joined, linkable, linkedNumber, quote } from './markdown.ts'
import type { ReportedActivity, ReportedNotable, ReportedPath } from './report.ts'

const STATES: Record<Stage, string> = {
  declared: 'no pull request yet',
  draft: 'draft',
  ready: 'ready',
  queued: 'in the merge queue',
}

/** A pull request by number and title, declared work by title and branch. */
export function subjectOf({ pull_request, title, branch, actor, stage }: ReportedActivity): string {
  const names = [
    pull_request === null ? '' : linkedNumber(pull_request),
    title === null ? '' : quote(title),
    branch === null || pull_request !== null ? '' : `on ${quote(branch)}`,
  ]
  return [...names, `(${quote(actor)}, ${STATES[stage]})`].filter(Boolean).join(' ')
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
  const { duplicate, paths, areas } = activity
  if (duplicate) return `${who} ${duplicateText('this pull request', duplicate, quote)}`
  const [path, ...others] = paths
  if (path === undefined) return `${who} works on ${joined(areas.map((area) => quote(`area ${area}`)))} too`
  if (others.length > 0) return `${who} overlaps with this pull request in ${paths.length} files`
  return path.verdict === null
    ? `${who} changes ${quote(path.example)} too`
    : placeSentence(who, { ...path, verdict: path.verdict }, quote)
}

/** Where an overlap is: a file and the lines in it, or an area. */
export interface Place {
  /** The file or area, quoted. */
  name: string
  /** `lines 40–52 (yours: lines 38–50)`; empty if lines were not compared. */
  lines: string
}

export function placesOf({ paths, areas }: ReportedActivity): Place[] {
  if (paths.length === 0) return areas.map((area) => ({ name: quote(`area ${area}`), lines: '' }))
  return paths.map((path) => ({ name: quote(path.example), lines: linesOf(path) }))
}

function linesOf({ verdict, ...path }: ReportedPath): string {
  return verdict === null ? '' : placeText({ ...path, verdict })
}

/** `a.ts`, lines 40–52. */
export function placeItem({ name, lines }: Place): string {
  return lines === '' ? name : `${name}, ${lines}`
}

/**
 * A sentence that says what the author of a pull request should do about the activity. `stage`: that of the pull request.
 * `it`: the activity, as the first words of the sentence.
 */
export function adviceOf(it: string, activity: ReportedActivity, stage: Stage): string {
  const other = quote(activity.actor)
  if (activity.duplicate) return `Agree with ${other} on which of the two to continue.`
  if (activity.is_ahead) {
    if (activity.stage === 'queued')
      return `${it} is in the merge queue and goes first: rebase once it is merged.`
    const why = activity.stage === stage ? 'was opened first' : 'is ready for review, and this is a draft'
    return `${it} ${why}: agree with ${other}, or rebase after it merges.`
  }
  if (stage === 'queued')
    return `This pull request is in the merge queue and goes first: tell ${other} to rebase after it merges.`
  const why = activity.stage === stage ? 'was opened first' : 'goes first'
  return `This pull request ${why}: tell ${other} what will change, or merge soon.`
}

export function notableItem({ severity, title, decision_url, where }: ReportedNotable): string {
  const decision = decision_url === null ? '' : `, [decision](<${linkable(decision_url)}>)`
  return `${quote(title)} (${severity}), for ${where === null ? 'the whole repository' : quote(where)}${decision}`
}
