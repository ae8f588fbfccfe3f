/** The side of a comparison that a stored activity is (docs/contract/lines.md#authors). Pure. */

import { isListed } from '../../vocabulary/logins.ts'
import type { Author, Intent, Side } from '../kinds/side.ts'
import type { ChangeOrigin } from '../lines/change.ts'
import { closingIssues } from '../lines/closing-issues.ts'
import { authorLogin, type SidedActivity } from '../records/activity.ts'
import { type ComparedFields, comparedScopeOf, issuesOf } from '../records/compared-scope.ts'
import type { CheckContext } from './source.ts'

export type SideFields = ComparedFields &
  Pick<
    SidedActivity,
    'title' | 'summary' | 'actor' | 'created_by' | 'assignee' | 'source' | 'base_sha' | 'pushed_base_sha'
  >

export function sideOf(row: SideFields, ctx: Pick<CheckContext, 'repo' | 'settings'>): Side {
  const base: Record<ChangeOrigin, string | null> = { declared: row.base_sha, pushed: row.pushed_base_sha }
  return {
    files: comparedScopeOf(row).files.map((file) => ({ ...file, base_sha: base[file.origin] })),
    ...intentOf(row, ctx),
  }
}

/** A side without its files: its author, and the issues that it closes. */
export function intentOf(
  row: Omit<SideFields, keyof ComparedFields> & Pick<SideFields, 'pr_number' | 'issue' | 'closes'>,
  { repo, settings }: Pick<CheckContext, 'repo' | 'settings'>,
): Intent {
  const issues = new Set(issuesOf(row))
  return {
    issues,
    closes: new Set([...issues, ...namedIssues(row, repo)]),
    author: authorOf(row, settings),
  }
}

/** The issues that title and summary close; none once it is known what its pull request closes. */
function namedIssues(
  { source, title, summary, closes }: Pick<SideFields, 'source' | 'title' | 'summary' | 'closes'>,
  { web_urls }: Pick<CheckContext['repo'], 'web_urls'>,
): number[] {
  return source === 'pull_request' && closes ? [] : closingIssues([title, summary], web_urls)
}

function authorOf(
  row: Pick<SideFields, 'source' | 'actor' | 'created_by' | 'pr_number' | 'assignee'>,
  settings: CheckContext['settings'],
): Author {
  const isDeclared = row.source === 'api' && row.pr_number === null
  const { actor, assignee } = row
  return loginAuthor(authorLogin(row), settings, { actor: isDeclared ? actor : null, assignee })
}

/** `actor`, `assignee`: see `Author`. */
export function loginAuthor(
  login: string | null,
  { comment }: Pick<CheckContext['settings'], 'comment'>,
  { actor, assignee }: Pick<Author, 'actor' | 'assignee'>,
): Author {
  return { login, actor, assignee, is_shared: login !== null && isListed(login, comment.agents) }
}
