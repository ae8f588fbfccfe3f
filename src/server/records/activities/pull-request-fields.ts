/** The fields that an activity takes from its pull request. Pure. */

import { closingIssues, firstProse } from '../../../engine/lines/markdown-prose.ts'
import { storableText } from '../../../vocabulary/others-text.ts'
import type { GithubPullRequest } from '../../github/pull-request.ts'
import type { RepoContext } from '../repositories/repo.ts'
import type { ActivityRow } from './table.ts'

/** The fields of an activity that belongs to a pull request. */
export function pullRequestFields(
  pr: GithubPullRequest,
  repo: Pick<RepoContext['repo'], 'web_urls'>,
): Pick<ActivityRow, 'source' | 'title' | 'summary' | 'closes'> {
  return {
    source: 'pull_request',
    title: clip(pr.title, 200) || nameOf(pr),
    summary: summaryOf(pr),
    closes: closedIssues(pr, repo),
  }
}

/** The first paragraph of prose of the description, else the title. */
export function summaryOf(pr: Pick<GithubPullRequest, 'number' | 'title' | 'body'>): string {
  return clip(firstProse(pr.body), 4000) || clip(pr.title, 4000) || nameOf(pr)
}

function nameOf({ number }: Pick<GithubPullRequest, 'number'>): string {
  return `Pull request #${number}`
}

/** The issues that a pull request closes by its title and its whole description: none for another branch than the default one, as on GitHub. */
export function closedIssues(
  { title, body, is_for_default_branch }: Pick<GithubPullRequest, 'title' | 'body' | 'is_for_default_branch'>,
  { web_urls }: Pick<RepoContext['repo'], 'web_urls'>,
): number[] {
  return is_for_default_branch ? closingIssues([title, body], web_urls) : []
}

/** At most `length` characters, without NUL and unpaired surrogates, which PostgreSQL and JSON reject. */
export function clip(text: string, length: number): string {
  return [...storableText(text).trim()].slice(0, length).join('')
}
