/** The sides of a comparison by lines: their changed files, authors and the issues that they close (docs/contract/lines.md#authors). Pure. */

import type { ChangedFile, FileChange } from '../../engine/lines/change.ts'
import { closingIssues } from '../../engine/lines/closing-issues.ts'
import { isListed } from '../../vocabulary/logins.ts'
import { authorLogin } from '../activities/author.ts'
import { type ComparedFields, comparedScopeOf, issuesOf } from '../activities/compared-scope.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { ChangeOrigin } from '../file-changes/table.ts'
import type { RepoContext } from '../repositories/repo.ts'

export interface SideFile extends ChangedFile {
  origin: ChangeOrigin
  /** The commit that its patch starts from; null if unknown. */
  base_sha: string | null
}

export type DigestedFile = SideFile & FileChange

export interface Author {
  /** The GitHub login; null if unknown. */
  login: string | null
  /** The actor of declared work; null for a pull request, `NO_ACTOR` for a check. */
  actor: string | null
  /** The first person who is assigned to its pull request, other than the author; null if nobody is. */
  assignee: string | null
  /** The login is that of a coding agent, which works for many people. */
  is_shared: boolean
}

/** The actor of a check, which differs from the actors of all declared work. */
export const NO_ACTOR = ''

/** The changes of one activity, of several activities of one branch, or of the input of a check. */
export interface Side {
  files: readonly SideFile[]
  /** The issues that it is on: see `issuesOf`. */
  issues: ReadonlySet<number>
  /** Those, and the issues that declared work names. See `closingIssues`. */
  closes: ReadonlySet<number>
  author: Author
}

export type SideFields = ComparedFields &
  Pick<
    ActivityRow,
    'title' | 'summary' | 'actor' | 'created_by' | 'assignee' | 'source' | 'base_sha' | 'pushed_base_sha'
  >

export function sideOf(row: SideFields, ctx: Pick<RepoContext, 'repo' | 'settings'>): Side {
  const base: Record<ChangeOrigin, string | null> = { declared: row.base_sha, pushed: row.pushed_base_sha }
  return {
    files: comparedScopeOf(row).files.map((file) => ({ ...file, base_sha: base[file.origin] })),
    ...intentOf(row, ctx),
  }
}

/** A side without its files: its author, and the issues that it closes. */
export function intentOf(
  row: Omit<SideFields, keyof ComparedFields> & Pick<SideFields, 'pr_number' | 'issue' | 'closes'>,
  { repo, settings }: Pick<RepoContext, 'repo' | 'settings'>,
): Omit<Side, 'files'> {
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
  { web_urls }: Pick<RepoContext['repo'], 'web_urls'>,
): number[] {
  return source === 'pull_request' && closes ? [] : closingIssues([title, summary], web_urls)
}

function authorOf(
  row: Pick<SideFields, 'source' | 'actor' | 'created_by' | 'pr_number' | 'assignee'>,
  settings: RepoContext['settings'],
): Author {
  const isDeclared = row.source === 'api' && row.pr_number === null
  const { actor, assignee } = row
  return loginAuthor(authorLogin(row), settings, { actor: isDeclared ? actor : null, assignee })
}

/** `actor`, `assignee`: see `Author`. */
export function loginAuthor(
  login: string | null,
  { comment }: Pick<RepoContext['settings'], 'comment'>,
  { actor, assignee }: Pick<Author, 'actor' | 'assignee'>,
): Author {
  return { login, actor, assignee, is_shared: login !== null && isListed(login, comment.agents) }
}

/**
 * Whether both have the same GitHub user. If both are declared, they also need the same actor, because machine accounts are
 * shared; else, if the user is a coding agent, they need the same assignee.
 */
export function isSameAuthor(one: Author, other: Author): boolean {
  if (one.login === null || one.login.toLowerCase() !== other.login?.toLowerCase()) return false
  if (one.actor !== null && other.actor !== null) return one.actor === other.actor
  return !one.is_shared || (one.assignee !== null && one.assignee === other.assignee)
}

const UNKNOWN_AUTHOR: Author = { login: null, actor: null, assignee: null, is_shared: false }

/** Several activities of one branch as one side. */
export function joinSides(sides: readonly Side[]): Side {
  return {
    files: sides.flatMap(({ files }) => files),
    issues: new Set(sides.flatMap(({ issues }) => [...issues])),
    closes: new Set(sides.flatMap(({ closes }) => [...closes])),
    author: sides[0]?.author ?? UNKNOWN_AUTHOR,
  }
}
