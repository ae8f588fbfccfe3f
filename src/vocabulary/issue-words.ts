/** What people and agents read about the holder of an issue. Pure. */
import { inQuotes } from './others-text.ts'
import { pullRequestName } from './pull-request-name.ts'
import { minuteText } from './text.ts'

/** So that the sentence has at most 40 words, whatever a name contains. */
const ACTOR_MAX = 20
const BRANCH_MAX = 60

interface Held {
  number: number
  holder: { activity_id: string; actor: string; branch: string | null; pr_url: string | null; since: string }
}

interface Done {
  number: number
  done_by: { pr_url: string; merged_at: string } | null
}

/**
 * `issue #7 is held by “Ben” on “7-retry”, #12, since 2026-01-31 09:30 UTC`. `without_titles`: leaves out what other people
 * wrote.
 */
export function holderText(
  { number, holder }: Held,
  { without_titles = false }: { without_titles?: boolean } = {},
): string {
  const { activity_id, actor, branch, pr_url, since } = holder
  const pull_request = pullRequestName(pr_url)
  const at = `since ${minuteText(since)}`
  const named = without_titles
    ? (pull_request ?? activity_id)
    : [
        `${inQuotes(actor, ACTOR_MAX)}${branch === null ? '' : ` on ${inQuotes(branch, BRANCH_MAX)}`}`,
        ...(pull_request === null ? [] : [pull_request]),
      ].join(', ')
  return `issue #${number} is held by ${named}${without_titles || (branch === null && pull_request === null) ? ' ' : ', '}${at}`
}

/** `issue #7 may be done: #40 closes it and was merged on 2026-01-31`; null if it is not. */
export function doneText({ number, done_by }: Done): string | null {
  if (done_by === null) return null
  const name = pullRequestName(done_by.pr_url) ?? 'a pull request'
  return `issue #${number} may be done: ${name} closes it and was merged on ${done_by.merged_at.slice(0, 10)}`
}

/** The two ways on. */
export const JOIN_OR_LEAVE = 'join that work, or take another issue'
/** For who has heard them. */
export const WAYS_ON_AGAIN = 'join, or take another'
