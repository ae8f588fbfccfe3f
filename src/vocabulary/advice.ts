/** What to do about an overlap, and which of two sides goes first, for the reader of any medium. Pure. */
import { isSameWork, leadTo, saidIn } from './finding.ts'
import type { Finding, FindingAdvice } from './finding-kinds.ts'
import type { Severity } from './severity.ts'
import { TITLE_SHOWN_MAX } from './shown.ts'
import { inQuotes, uncapitalized } from './text.ts'

/** An overlap as advice depends on it. */
export interface AdvisedOverlap {
  severity: Severity
  findings: readonly Finding[]
}

/** Whose the other work is. `bot`: an account that nobody talks to, see `isBot`. */
export type Whose = 'other' | 'own' | 'bot'

export function whoseOf({ same_author, is_bot }: { same_author: boolean; is_bot: boolean }): Whose {
  return same_author ? 'own' : is_bot ? 'bot' : 'other'
}

/** A reader who is about to edit. */
interface Editor {
  whose: Whose
  /** See `authorOf`; null if the reader is an agent, which tells its user. */
  person: string | null
  /** What to build on: `#12`, or `theirs`; of own work its id. */
  theirs: string
  /** Whether the other side began first; undefined if that is not known. */
  is_theirs_first?: boolean
}

/** A reader with changes of their own. Of the two sides, one is closer to its merge. */
interface Merger {
  /** Bots are not told of, and do not read. */
  whose: Exclude<Whose, 'bot'>
  /** The person of the other side, quoted. */
  person: string
  own: Side
  other: Side
  /** The own side is closer to its merge. */
  is_ahead: boolean
  /** The reader may merge pull requests of the repository, as far as is known. */
  may_merge: boolean
}

interface Side {
  /** As the subject of a sentence. */
  name: string
  stage: Stage
}

/** How other work of the reader is called: in one clone by its working tree. `quote`: for text of others. */
export function ownWorkName(
  { title, worktree }: { title: string; worktree?: string | null },
  quote: (text: string) => string,
): string {
  // An older service does not send it.
  return worktree == null ? `your other work ${title}` : `your other session, in ${quote(worktree)}`
}

export interface Advice {
  /** Who goes first and why, without a full stop; empty if that does not matter. */
  order: string
  /** A full sentence. */
  action: string
}

export function adviceOf(overlap: AdvisedOverlap, reader: Editor | Merger): Advice {
  return 'own' in reader
    ? mergerAdvice(overlap, reader)
    : { order: '', action: editorAction(overlap, reader) }
}

function editorAction(
  { severity, findings }: AdvisedOverlap,
  { whose, person, theirs, is_theirs_first }: Editor,
): string {
  const about = adviceIn(findings)
  const ask = whose !== 'other' ? '' : person === null ? 'tell the user' : `talk to ${person}`
  if (isSameWork(findings)) {
    const first = is_theirs_first === undefined ? '' : `; ${is_theirs_first ? theirs : 'yours'} was first`
    return ask === ''
      ? `Before you go on, compare yours with ${its(whose, theirs)}: close one of the two${first}.`
      : `Before you go on, ${ask}: close one of the two${first}.`
  }
  if (about && ask === '') return `Give way to ${its(whose, theirs)}: ${about.giveWay}.`
  if (whose === 'bot') return `Go ahead, and rebase ${theirs} after yours is merged.`
  if (whose === 'own') return `Before you edit there, finish ${its(whose, theirs)}, or build on it.`
  if (about && !leadTo(findings, 'conflict')) return about.agree(ask)
  switch (severity) {
    case 'high':
      return `Before you edit there, ${ask}: wait, split the work, or build on ${theirs}.`
    case 'medium':
      return `Before you edit there, ${ask}: agree on who changes what, or narrow your scope.`
    case 'low':
      return `Go ahead, and let ${person ?? 'the user'} know.`
  }
}

/** What the weightiest finding that knows better than the severity says. */
function adviceIn(findings: readonly Finding[]): FindingAdvice | undefined {
  return saidIn(findings).find(({ words }) => words.advice)?.words.advice
}

/** The work of somebody with whom nothing can be agreed. */
function its(whose: Whose, theirs: string): string {
  return whose === 'own' ? `your other work (${theirs})` : theirs
}

function mergerAdvice(overlap: AdvisedOverlap, reader: Merger): Advice {
  const { whose, person, own, other, is_ahead, may_merge } = reader
  const [first, second] = is_ahead ? [own, other] : [other, own]
  if (whose === 'own') return ownAdvice(overlap, { ...reader, first, second })
  const { findings } = overlap
  const order = whyFirst(first.name, first.stage, second.stage)
  if (isSameWork(findings))
    return { order, action: `Close one of the two, and agree with ${person} on which.` }
  const about = adviceIn(findings)
  if (about) return { order, action: is_ahead ? about.tell(person) : about.follow }
  const action = is_ahead ? leaderAction(person, own.stage, may_merge) : followerAction(person, other)
  return { order, action }
}

/** To the author of both sides, who has nobody to agree with. */
function ownAdvice(
  { findings }: AdvisedOverlap,
  { first, second, is_ahead, may_merge }: Merger & { first: Side; second: Side },
): Advice {
  const order = 'Both are by one author'
  if (isSameWork(findings)) return { order, action: 'Close one of the two.' }
  const about = adviceIn(findings)
  if (about) return { order, action: about.own[is_ahead ? 'ahead' : 'behind'] }
  const [one, two] = [uncapitalized(first.name), uncapitalized(second.name)]
  const merge = may_merge ? `Merge ${one} first` : `Ask to have ${one} merged first`
  return { order, action: `${merge}, and rebase ${two}.` }
}

function leaderAction(person: string, stage: Stage, may_merge: boolean): string {
  if (stage === 'declared') return `Tell ${person} what will change.`
  return stage === 'queued'
    ? `Tell ${person} to rebase after it merges.`
    : `Tell ${person} what will change, or ${may_merge ? 'merge soon' : 'ask to have this one merged first'}.`
}

function followerAction(person: string, { stage }: Side): string {
  if (stage === 'declared') return `Agree with ${person} on who changes what.`
  return stage === 'queued' ? 'Rebase once it is merged.' : `Agree with ${person}, or rebase after it merges.`
}

/** `#1 was opened first: agree with Ben, or rebase after it merges.` */
export function adviceSentence({ order, action }: Advice): string {
  return order === '' ? action : `${order}: ${uncapitalized(action)}`
}

/** `title`: null where nothing that other people wrote may be shown. `author`: a login. */
export function notableAdvice(id: string, title: string | null, author: string | null): string {
  const by = author !== null && LOGIN.test(author) ? ` by ${author}` : ''
  return `Read the notable ${title === null ? id : inQuotes(title, TITLE_SHOWN_MAX)}${by} first.`
}

/** The author of an activity, without any text by other people: the login and pull request (`#12`) as far as they are known. */
export function authorOf(known: Record<'login' | 'pull_request', string | null> & { id: string }): string {
  const { id, login, pull_request } = known
  if (login === null || !LOGIN.test(login)) return `the author of ${pull_request ?? id}`
  return pull_request === null ? login : `${login} (${pull_request})`
}

/** GitHub's logins, with those of bots. */
const LOGIN = /^[\w-]{1,100}(?:\[bot\])?$/

export type Stage = 'declared' | 'draft' | 'ready' | 'queued'

/** The stage of work by its pull request; whether that is in the merge queue is not known here. */
export function stageOf({ pr_url, draft_pr }: { pr_url: string | null; draft_pr: boolean }): Stage {
  if (pr_url === null) return 'declared'
  return draft_pr ? 'draft' : 'ready'
}

/** The farthest from its merge first. `sentence`: the predicate of a sentence. */
export const STAGE_WORDS: Record<Stage, { rank: number; label: string; sentence: string }> = {
  declared: { rank: 0, label: 'no pull request yet', sentence: 'has no pull request yet' },
  draft: { rank: 1, label: 'draft', sentence: 'is a draft' },
  ready: { rank: 2, label: 'ready', sentence: 'is ready for review' },
  queued: { rank: 3, label: 'in the merge queue', sentence: 'is in the merge queue' },
}

/** Why `who` goes first: `#1 was opened first`, or `#1 is ready for review and goes first`. */
function whyFirst(who: string, stage: Stage, other: Stage): string {
  if (stage !== other) return `${who} ${STAGE_WORDS[stage].sentence} and goes first`
  return `${who} ${stage === 'declared' ? 'began' : 'was opened'} first`
}

interface Standing {
  stage: Stage
  since: Date
  number: number | null
}

/**
 * Whether `one` is closer to its merge than `other`, by stage: in the merge queue, ready, draft, no pull request. In the same
 * stage, the one that was opened first is closer, and then the one with the lower number.
 */
export function isAhead(one: Standing, other: Standing): boolean {
  const byStage = STAGE_WORDS[one.stage].rank - STAGE_WORDS[other.stage].rank
  const byTime = other.since.getTime() - one.since.getTime()
  const byNumber = (other.number ?? Number.MAX_SAFE_INTEGER) - (one.number ?? Number.MAX_SAFE_INTEGER)
  return (byStage || byTime || byNumber) > 0
}
