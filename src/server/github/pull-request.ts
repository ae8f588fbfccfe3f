/** Parses a pull request from a webhook payload or an API response. */
import { z } from 'zod'

/** Text without characters that PostgreSQL cannot store. */
const storable = z.string().transform((text) => text.replaceAll('\u0000', '').toWellFormed())

const Account = z.object({ login: z.string(), type: z.string().optional() })

/** GitHub's stack of pull requests. The format is a preview; a stack in any other format is ignored. */
const Stack = z.object({ number: z.int().positive(), position: z.int().positive() })

const Payload = z.object({
  number: z.int(),
  html_url: z.string(),
  title: storable,
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  merged_at: z.coerce.date().nullish(),
  mergeable: z.boolean().nullish(),
  mergeable_state: z.string().nullish(),
  draft: z.boolean().nullish(),
  user: Account.nullish(),
  assignees: z.array(Account).nullish(),
  author_association: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).default([]),
  created_at: z.coerce.date(),
  updated_at: z.coerce.date(),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    label: z.string().nullish(),
    repo: z.object({ id: z.int() }).nullish(),
  }),
  base: z.object({ ref: z.string(), repo: z.object({ id: z.int() }) }),
  stack: Stack.nullish().catch(null),
})

export interface GithubPullRequest {
  number: number
  url: string
  title: string
  body: string
  author: string
  is_bot: boolean
  /** The login of the first person who is assigned to it, other than the author; null if nobody is. */
  assignee: string | null
  /** According to GitHub, nothing of the author's was merged in this repository yet. */
  is_by_newcomer: boolean
  is_open: boolean
  is_merged: boolean
  /** When the pull request was merged; null if it was not merged, or if GitHub does not say. */
  merged_at: Date | null
  /** Null while GitHub is computing it. */
  is_mergeable: boolean | null
  is_draft: boolean
  is_fork: boolean
  /** `owner:branch` for a fork; a branch name cannot contain a colon. */
  branch: string
  base_branch: string
  head_sha: string
  /** GitHub's stack that contains the pull request; `position` 1 is the bottom. Null if there is none. */
  stack: { number: number; position: number } | null
  labels: string[]
  opened_at: Date
  changed_at: Date
}

/** GitHub's associations of authors who have merged nothing here yet. */
const NEWCOMERS: ReadonlySet<string> = new Set(['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR'])

/** Parses `payload.pull_request`, or an element of the list of pull requests. Throws a ZodError for other input. */
export function parsePullRequest(payload: unknown): GithubPullRequest {
  const pr = Payload.parse(payload)
  const is_fork = pr.head.repo?.id !== pr.base.repo.id
  // GitHub shows this login for deleted accounts.
  const author = pr.user ?? { login: 'ghost', type: 'User' }
  return {
    number: pr.number,
    url: pr.html_url,
    title: pr.title,
    body: pr.body ?? '',
    author: author.login,
    is_bot: author.type === 'Bot',
    assignee: pr.assignees?.find(({ login }) => login !== author.login)?.login ?? null,
    is_by_newcomer: NEWCOMERS.has(pr.author_association ?? ''),
    is_open: pr.state === 'open',
    is_merged: pr.merged === true || Boolean(pr.merged_at),
    merged_at: pr.merged_at ?? null,
    is_mergeable: pr.mergeable_state === 'dirty' ? false : (pr.mergeable ?? null),
    is_draft: pr.draft === true,
    is_fork,
    branch: is_fork ? (pr.head.label ?? `unknown:${pr.head.ref}`) : pr.head.ref,
    base_branch: pr.base.ref,
    head_sha: pr.head.sha,
    stack: pr.stack ?? null,
    labels: pr.labels.map(({ name }) => name),
    opened_at: pr.created_at,
    changed_at: pr.updated_at,
  }
}
