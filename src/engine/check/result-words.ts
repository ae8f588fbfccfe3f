/** The sentences of the result of a check, for people and agents (docs/contract/overlap.md#result). Pure. */

import { adviceOf, authorOf, notableAdvice, ownWorkName, whoseOf } from '../../vocabulary/advice.ts'
import { isSameWork, takenFix, takenIn } from '../../vocabulary/finding.ts'
import { byRank, type Severity } from '../../vocabulary/severity.ts'
import { capitalized, count, inQuotes, NOTHING_COMPARED } from '../../vocabulary/text.ts'
import {
  CONSEQUENCE_WORDS,
  doneSentence,
  overlapSentence,
  placeSentence,
} from '../../vocabulary/verdict-words.ts'
import { successorOf } from '../lines/taken.ts'
import { authorLogin, type ComparedActivity, comparedScopeOf } from '../records/activity.ts'
import type { StoredNotable } from '../records/notable.ts'
import type { Conclusion, DoneBy, Found } from './source.ts'

/** `#40`, or the short name of a commit: what people call merged work. */
export function doneName({ number, head_sha }: Pick<DoneBy, 'number' | 'head_sha'>): string {
  return number === null ? head_sha.slice(0, 8) : `#${number}`
}

/** A sentence of the reason of a check that reached its limit. */
export const BUDGET_EXHAUSTED =
  'The check exhausted its work budget before it had compared everything; narrow the scope for a complete result.'
const ONLY_ISSUES = 'Only issues were compared, because no paths or areas were named.'
export const CUT_SHORT = 'The comparison was cut short; there may be more overlaps.'
/** Open pull requests are being imported, so live work may be missing. */
export const STILL_IMPORTING =
  'Pull requests are still being imported; those that are not known yet were not compared.'
const PARTIAL = 'Not everything was compared: narrow the scope and check again.'

/** Why not everything was compared, although no limit was reached; empty if everything was. */
export function gapOf({ cut, is_importing }: Conclusion): string {
  const unknown = cut > 0 ? 'changed files are known' : is_importing ? 'open pull requests are known yet' : ''
  return unknown && `Not everything was compared, because not all ${unknown}`
}

/** `found`: the highest severity of all live work and notables; null if there are none. */
export function reasonOf(conclusion: Conclusion, found: Severity | null): string {
  const { emptiness, expected, cut, is_importing, checked_against, done_by } = conclusion
  const sentences: string[] = []
  const done = done_by === null ? [] : [`${doneSentence(doneName(done_by), done_by, 'your change')}.`]
  if (found !== null) sentences.push(`Overlap of ${done_by === null ? found : 'high'} severity.`)
  sentences.push(...done)
  if (found !== null) sentences.push(overlapsFound(conclusion))
  if (emptiness !== null && conclusion.collisions.length === 0) sentences.push(nothingCompared(conclusion))
  else if (emptiness === 'nothing_given') sentences.push(ONLY_ISSUES)
  else if (found === null && done_by === null) sentences.push(nothingFound(conclusion))
  if (expected.size > 0) {
    const are = expected.size === 1 ? 'is' : 'are'
    sentences.push(
      `${activities(expected.size)} of the same branch or stack ${are} expected and not counted.`,
    )
  }
  if (!checked_against.complete && emptiness !== 'nothing_given') {
    sentences.push(BUDGET_EXHAUSTED)
  }
  if (cut > 0) {
    sentences.push(
      `Only the first changed files of ${activities(cut)} are known; the others were not compared.`,
    )
  }
  if (is_importing) sentences.push(STILL_IMPORTING)
  return sentences.join(' ')
}

function nothingCompared({ branch, emptiness }: Conclusion): string {
  const ofBranch = branch === null ? '' : `, and no live activity of ${inQuotes(branch)} has any`
  const why =
    emptiness === 'all_ignored'
      ? 'every path of the scope is noise or ignored in this repository (noise_classes, noise_paths, ignore_paths)'
      : `there was nothing to compare, because no paths or areas were named${ofBranch}`
  return `${NOTHING_COMPARED}: ${why}.`
}

function nothingFound({ checked_against }: Conclusion): string {
  const notables = count(checked_against.notables, 'active notable', 'active notables')
  return `No overlap with ${activities(checked_against.activities)} and ${notables}.`
}

function activities(number: number): string {
  return count(number, 'live activity', 'live activities')
}

function overlapsFound({ collisions, notables, total_related }: Conclusion): string {
  const worst = [
    ...collisions
      .toSorted(othersFirst)
      .slice(0, 2)
      .map((each) => ({ ...each, text: collisionSentence(each) })),
    ...notables.slice(0, 2).map((each) => ({ ...each, text: notableSentence(each) })),
  ].toSorted(othersFirst)
  const left = total_related - worst.length
  const more = left > 0 ? ` And ${left} more.` : ''
  return `${textOf(worst)}${more}`
}

function collisionSentence({ record, match, severity }: Found<ComparedActivity>): string {
  const where = record.branch === null ? '' : ` on ${inQuotes(record.branch)}`
  const who = record.pr_number === null ? 'it' : `#${record.pr_number}`
  // Where declared paths meet, they say more than a file whose lines are apart.
  const pair =
    match.consequence === 'possible' ? match.paths.find(({ verdict }) => verdict === null) : undefined
  const what = overlapSentence(who, pair ? { ...match, paths: [pair] } : match, 'yours', inQuotes)
  const [taken] = isSameWork(match.findings) ? [] : takenIn(match.findings)
  const fix = taken && takenFix(taken, successorOf(taken, taken.theirs, comparedScopeOf(record).files))
  const how = fix ? ` To give way: ${inQuotes(fix)}.` : ''
  // What both take does not say where git stops.
  const [place] = taken && match.consequence === 'conflict' ? match.paths : []
  const also = place ? `; ${placeSentence(who, place, inQuotes)}` : ''
  const title = record.is_by_newcomer ? shownTitle(record) : inQuotes(record.title)
  const { worktree = null } = record
  const whose = match.same_author
    ? ownWorkName({ title, worktree }, inQuotes)
    : `${title} by ${inQuotes(record.actor)}`
  return `${capitalized(CONSEQUENCE_WORDS[match.consequence ?? 'possible'])} (${severity}) with ${whose}${where}: ${what}${also}.${how}`
}

/** The title of work, but not that of somebody who is new to the repository, because agents read it. */
export function shownTitle(
  row: Pick<ComparedActivity, 'id' | 'title' | 'pr_number' | 'is_by_newcomer'>,
): string {
  const { id, title, pr_number, is_by_newcomer } = row
  if (!is_by_newcomer) return title
  return pr_number === null ? id : `#${pr_number}`
}

function notableSentence({ record, match, severity }: Found<StoredNotable>): string {
  const named = match.paths[0]?.theirs ?? match.areas[0]
  const where = named === undefined ? 'the whole repository' : inQuotes(named)
  return `Notable (${severity}) for ${where}: ${inQuotes(record.title)}.`
}

export function recommendedAction(conclusion: Conclusion, severity: Severity | null): string {
  const { self, collisions, notables, emptiness, expected, checked_against, done_by } = conclusion
  const gap = gapOf(conclusion)
  const done =
    done_by === null
      ? ''
      : `Look at ${doneName(done_by)} before you go on: it is merged, and has most of this already.`
  const isPartial = !checked_against.complete && emptiness !== 'nothing_given'
  const left = isPartial ? PARTIAL : gap && `${gap}.`
  if (severity === null && done === '') {
    if (emptiness === 'nothing_given')
      return self.length > 0
        ? 'Name the files that you change: update your activity with scope.paths or scope.areas.'
        : 'Name the files that you intend to change in scope.paths or scope.areas, and check again.'
    if (isPartial) return PARTIAL
    const then =
      self.length > 0
        ? 'keep your activity up to date'
        : expected.size > 0
          ? 'keep the activity of your branch up to date'
          : 'create an activity so that others see your work'
    return `${gap === '' ? 'Go ahead' : `${gap}: go ahead with care`}, and ${then}.`
  }
  const advice = [
    ...collisions
      .toSorted(othersFirst)
      .slice(0, 1)
      .map((each) => ({ ...each, text: adviceOnCollision(each, self) })),
    ...notables
      .slice(0, 1)
      .map((each) => ({ ...each, text: notableAdvice(each.id, each.record.title, each.record.created_by) })),
  ]
  return [done, textOf(advice.toSorted(othersFirst)), left].filter(Boolean).join(' ')
}

function textOf(sentences: { text: string }[]): string {
  return sentences.map((each) => each.text).join(' ')
}

function adviceOnCollision(
  { record, severity, match }: Found<ComparedActivity>,
  self: readonly string[],
): string {
  const pull_request = record.pr_number === null ? null : `#${record.pr_number}`
  // In a clone the author is whoever a commit names, in the words of a stranger.
  const login = record.worktree === undefined ? authorLogin(record) : null
  const person = authorOf({ id: record.id, login, pull_request })
  const whose = whoseOf(match)
  const theirs = pull_request ?? (whose === 'other' ? 'theirs' : (record.worktree ?? record.id))
  // Ids are ordered by time, and what is planned comes after all that is there.
  const is_theirs_first = self.every((id) => record.id < id)
  return adviceOf({ severity, ...match }, { whose, person, theirs, is_theirs_first }).action
}

/** The work of others before that of the same author, and then the most severe first. */
function othersFirst(a: Found<unknown>, b: Found<unknown>): number {
  return Number(a.match.same_author) - Number(b.match.same_author) || byRank(a, b)
}
