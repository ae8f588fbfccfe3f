/** Parses a pull request from a webhook payload or an API response, and says what its activity takes from it. Pure. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { closingIssues, firstProse } from '../../engine/lines/markdown-prose.ts'
import { storableText } from '../../vocabulary/text.ts'

const text = z.string().transform(storableText)

const Account = z.object({ login: text, type: z.string().optional() })

/** GitHub's stack of pull requests. The format is a preview; a stack in any other format is ignored. */
const Stack = z.object({ number: z.int().positive(), position: z.int().positive() })

const Payload = z.object({
  number: z.int(),
  html_url: text,
  title: text,
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  merged_at: z.coerce.date().nullish(),
  draft: z.boolean().nullish(),
  mergeable: z.boolean().nullish(),
  user: Account.nullish(),
  assignees: z.array(Account).nullish(),
  author_association: z.string().nullish(),
  labels: z.array(z.object({ name: text })).default([]),
  created_at: z.coerce.date(),
  updated_at: z.coerce.date(),
  head: z.object({
    ref: text,
    sha: text,
    label: text.nullish(),
    repo: z.object({ id: z.int() }).nullish(),
  }),
  base: z.object({ ref: text, repo: z.object({ id: z.int(), default_branch: z.string().nullish() }) }),
  stack: Stack.nullish().catch(null),
})

export type GithubPullRequest = ReturnType<typeof parsePullRequest>

/** GitHub's associations of authors who have merged nothing here yet. */
const NEWCOMERS: ReadonlySet<string> = new Set(['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR'])

/** Parses `payload.pull_request`, or an element of the list of pull requests. Throws a ZodError for other input. */
export function parsePullRequest(payload: unknown) {
  const pr = Payload.parse(payload)
  const is_fork = pr.head.repo?.id !== pr.base.repo.id
  // GitHub shows this login for deleted accounts.
  const author = pr.user ?? { login: 'ghost', type: 'User' }
  const summary = clip(firstProse(pr.body ?? ''), 4000) || clip(pr.title, 4000) || nameOf(pr)
  return {
    /** The id of the repository that contains it. A name may belong to another repository by now. */
    repository_id: pr.base.repo.id,
    number: pr.number,
    url: pr.html_url,
    title: pr.title,
    body: pr.body ?? '',
    /** The first paragraph of prose of the description, else the title. */
    summary,
    summary_hash: hash('sha256', summary, 'base64url').slice(0, 22),
    author: author.login,
    is_bot: author.type === 'Bot',
    /** The login of the first person who is assigned to it, other than the author; null if nobody is. */
    assignee: pr.assignees?.find(({ login }) => login !== author.login)?.login ?? null,
    /** According to GitHub, nothing of the author's was merged in this repository yet. */
    is_by_newcomer: NEWCOMERS.has(pr.author_association ?? ''),
    is_open: pr.state === 'open',
    is_merged: pr.merged === true || Boolean(pr.merged_at),
    /** Null if it was not merged, or if GitHub does not say when. */
    merged_at: pr.merged_at ?? null,
    is_draft: pr.draft === true,
    /** Null while GitHub computes it, after each push, and where it does not say it, as in lists. */
    is_mergeable: pr.mergeable ?? null,
    is_fork,
    /** `owner:branch` for a fork; a branch name cannot contain a colon. */
    branch: is_fork ? (pr.head.label ?? `unknown:${pr.head.ref}`) : pr.head.ref,
    base_branch: pr.base.ref,
    /** It will be merged into the default branch, or GitHub does not say which that is. */
    is_for_default_branch: pr.base.ref === (pr.base.repo.default_branch ?? pr.base.ref),
    head_sha: pr.head.sha,
    /** GitHub's stack that contains it, and its position there; 1 is the bottom. Null if there is none. */
    stack_number: pr.stack?.number ?? null,
    stack_position: pr.stack?.position ?? null,
    labels: pr.labels.map(({ name }) => name),
    opened_at: pr.created_at,
    changed_at: pr.updated_at,
  }
}

/** The fields of an activity that belongs to a pull request. */
export function pullRequestFields(pr: GithubPullRequest, repo: { web_urls: readonly string[] }) {
  return {
    source: 'pull_request' as const,
    title: clip(pr.title, 200) || nameOf(pr),
    summary: pr.summary,
    closes: closedIssues(pr, repo),
  }
}

function nameOf({ number }: { number: number }): string {
  return `Pull request #${number}`
}

/** The issues that a pull request closes by its title and its whole description: none for another branch than the default one, as on GitHub. */
export function closedIssues(
  { title, body, is_for_default_branch }: Pick<GithubPullRequest, 'title' | 'body' | 'is_for_default_branch'>,
  { web_urls }: { web_urls: readonly string[] },
): number[] {
  return is_for_default_branch ? closingIssues([title, body], web_urls) : []
}

/** At most `length` characters, without NUL and unpaired surrogates, which PostgreSQL and JSON reject. */
export function clip(text: string, length: number): string {
  return [...storableText(text).trim()].slice(0, length).join('')
}
