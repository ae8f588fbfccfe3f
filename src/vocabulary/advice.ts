/** What to do after a check or about an overlap, for the reader of any medium. Pure. */
import type { Severity } from './severity.ts'
import { type Stage, whyFirst } from './standing.ts'
import { uncapitalized } from './text.ts'
import type { Sequence, Verdict } from './verdict.ts'

/** An overlap as advice depends on it. */
export interface AdvisedOverlap {
  severity: Severity
  /** The strongest verdict; null if lines were not compared. */
  lines: Verdict | null
  is_duplicate: boolean
  /** What both take; null if nothing. */
  sequence_kind: Sequence['kind'] | null
}

/** A reader who is about to edit. */
interface Editor {
  /** See `authorOf`; null if the reader is an agent, which tells its user. */
  person: string | null
  /** What to build on: `#12`, or `theirs`. */
  theirs: string
}

/** A reader with changes of their own. Of the two sides, one is closer to its merge. */
interface Merger {
  /** The person of the other side, quoted. */
  person: string
  own: Side
  other: Side
  /** The own side is closer to its merge. */
  is_ahead: boolean
}

interface Side {
  /** As the subject of a sentence. */
  name: string
  stage: Stage
}

export interface Advice {
  /** Who goes first and why, without a full stop; empty if that does not matter. */
  order: string
  /** A full sentence. */
  action: string
}

/** The verdicts that need no action, unless something raises their severity. */
const HARMLESS: Partial<Record<Verdict, string>> = {
  agrees: 'both make the same change',
  touching: 'the changed lines do not overlap',
  near: 'the changed lines do not overlap',
  far: 'the changed lines do not overlap',
}

export function adviceOf(overlap: AdvisedOverlap, reader: Editor | Merger): Advice {
  const harmless = overlap.lines === null ? undefined : HARMLESS[overlap.lines]
  if (harmless && overlap.severity === 'low' && !overlap.is_duplicate && overlap.sequence_kind === null)
    return { order: '', action: `No action is needed: ${harmless}.` }
  return 'own' in reader
    ? mergerAdvice(overlap, reader)
    : { order: '', action: editorAction(overlap, reader) }
}

function editorAction(
  { severity, is_duplicate, sequence_kind }: AdvisedOverlap,
  { person, theirs }: Editor,
): string {
  const ask = person === null ? 'tell the user' : `talk to ${person}`
  if (is_duplicate) return `Before you go on, ${ask}: agree on which of the two to continue.`
  if (sequence_kind === 'same_number')
    return `Reserve another number for your file, or ${ask}: agree on who keeps this one.`
  if (sequence_kind === 'same_parent')
    return `Before you go on, ${ask}: agree on whose migration comes first. The second one builds on the first.`
  switch (severity) {
    case 'high':
      return `Before you edit there, ${ask}: wait, split the work, or build on ${theirs}.`
    case 'medium':
      return `Before you edit there, ${ask}: agree on who changes what, or narrow your scope.`
    case 'low':
      return `Go ahead, and let ${person ?? 'the user'} know.`
  }
}

function mergerAdvice(
  { is_duplicate, sequence_kind }: AdvisedOverlap,
  { person, own, other, is_ahead }: Merger,
): Advice {
  const [first, second] = is_ahead ? [own, other] : [other, own]
  const order = whyFirst(first.name, first.stage, second.stage)
  if (is_duplicate) return { order, action: `Agree with ${person} on which of the two to continue.` }
  if (sequence_kind !== null) return { order, action: sequenceAction(sequence_kind, { person, is_ahead }) }
  return { order, action: is_ahead ? leaderAction(person, own.stage) : followerAction(person, other) }
}

function sequenceAction(
  sequence_kind: Sequence['kind'],
  { person, is_ahead }: Pick<Merger, 'person' | 'is_ahead'>,
): string {
  if (sequence_kind === 'same_number')
    return is_ahead ? `Tell ${person} to take another number.` : 'Take another number.'
  return is_ahead
    ? `Tell ${person} to build on the migration of this pull request.`
    : 'Build on the other migration once it is merged.'
}

function leaderAction(person: string, stage: Stage): string {
  if (stage === 'declared') return `Tell ${person} what will change.`
  return stage === 'queued'
    ? `Tell ${person} to rebase after it merges.`
    : `Tell ${person} what will change, or merge soon.`
}

function followerAction(person: string, { stage }: Side): string {
  if (stage === 'declared') return `Agree with ${person} on who changes what.`
  return stage === 'queued' ? 'Rebase once it is merged.' : `Agree with ${person}, or rebase after it merges.`
}

/** `#1 was opened first: agree with Ben, or rebase after it merges.` */
export function adviceSentence({ order, action }: Advice): string {
  return order === '' ? action : `${order}: ${uncapitalized(action)}`
}

/** `name`: `#40`, a merged pull request. */
export function doneAdvice(name: string): string {
  return `Look at ${name} before you go on: it is merged, and has most of this already.`
}

export function notableAdvice(id: string): string {
  return `Read the notable ${id} first.`
}

/** The author of an activity, without any text by other people: the login and pull request as far as they are known. */
export function authorOf({
  id,
  login,
  pull_request,
}: {
  id: string
  login: string | null
  /** `#12`. */
  pull_request: string | null
}): string {
  if (login === null || !LOGIN.test(login)) return `the author of ${pull_request ?? id}`
  return pull_request === null ? login : `${login} (${pull_request})`
}

/** GitHub's logins, with those of bots. */
const LOGIN = /^[\w-]{1,100}(?:\[bot\])?$/

/** What a check without an overlap compared. */
export interface ClearCheck {
  /** It reached the limit of its work. */
  is_exhausted: boolean
  /** GitHub cut a list of changed files that was compared. */
  is_cut: boolean
}

const CUT = 'Not everything was compared, because GitHub cut a list of changed files'

/** `then`: what to do besides, in a few words. */
export function clearAdvice({ is_exhausted, is_cut }: ClearCheck, then = ''): string {
  if (is_exhausted) return 'Not everything was compared: narrow the scope and check again.'
  return `${is_cut ? `${CUT}: go ahead with care` : 'Go ahead'}${then && `, and ${then}`}.`
}

/** Added to the advice about an overlap; empty if no list was cut. */
export function cutAdvice({ is_cut }: Pick<ClearCheck, 'is_cut'>): string {
  return is_cut ? `${CUT}.` : ''
}
