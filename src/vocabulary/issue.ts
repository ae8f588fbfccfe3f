/** The issue that a branch or a prompt names, and what people and agents read about its holder. Loads no schema. Pure. */

import { pullRequestName, readNumber } from './names.ts'
import { inQuotes, minuteText } from './text.ts'

/** In the last part of a branch name: `7-retry`, `issue-7`, `issue-7-retry`, `gh-7`. A date, such as `2026-01-02-notes`, is none. */
const IN_BRANCH = /^(?:(?:issue|gh)-([1-9]\d{0,9})(?!\d)|(?!\d{4}-\d\d-\d\d)([1-9]\d{0,9})-.)/i

/** The issue that the name of a branch begins with, after its last slash; null if there is none. */
export function issueOfBranch(branch: string | null): number | null {
  const [, named, leading] = IN_BRANCH.exec(branch?.split('/').at(-1) ?? '') ?? []
  return readNumber(named ?? leading)
}

const URL_OR_NAME = String.raw`(?:https?:\/\/([^\s\/]{1,200})\/)?(?<![\w.-])([\w-]{1,100}\/[\w.-]{1,100}?)(?:\/issues\/|#)`
/** `#7`, `acme/shop#7`, or the URL of an issue. `PR #7` and `pull request #7` name no issue. */
const IN_TEXT = new RegExp(
  String.raw`(?<!\b(?:PR|pull request|pull) )(?:${URL_OR_NAME}|(?<![\w&#\/.-])#)([1-9]\d{0,9})\b`,
  'gi',
)
const TEXT_MAX = 20_000

/** The only issue of the repository that the text names; null if it names none, or several. */
export function issueOfText(
  text: string,
  { owner, repo, host }: { owner: string; repo: string; host: string },
): number | null {
  const own = `${owner}/${repo}`.toLowerCase()
  const found = new Set<number>()
  for (const [, at, name, digits] of text.slice(0, TEXT_MAX).matchAll(IN_TEXT)) {
    const isOther = (name !== undefined && name.toLowerCase() !== own) || (at !== undefined && at !== host)
    const number = readNumber(digits)
    if (!isOther && number !== null) found.add(number)
  }
  const [only = null] = found
  return found.size === 1 ? only : null
}

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
