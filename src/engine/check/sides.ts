/** The sides of a check: what a stored activity is as a side (docs/contract/lines.md#authors), and its files with their digests. */
import type { Budget } from '../../vocabulary/budget.ts'
import { inTurns, mapped, type Steps } from '../../vocabulary/event-loop.ts'
import { isListed } from '../../vocabulary/logins.ts'
import {
  type Author,
  type DigestedFile,
  fileKey,
  type Intent,
  type Side,
  type SideFile,
} from '../kinds/side.ts'
import type { ChangeOrigin } from '../lines/change.ts'
import { closingIssues } from '../lines/closing-issues.ts'
import { decodeDigest } from '../lines/digest.ts'
import { authorLogin, type ComparedActivity } from '../records/activity.ts'
import { type ComparedFields, comparedScopeOf, issuesOf } from '../records/compared-scope.ts'
import type { CheckContext, Sided, StoredFile } from './source.ts'

/** Cost units of decoding a digest, and each byte of it. */
const DECODE_COST = 300
const BYTE_COST = 1

/** The files of the activities that are checked, with all digests. */
export async function readOwnFiles(
  { source }: Pick<CheckContext, 'source'>,
  sides: readonly Sided[],
  budget: Budget,
): Promise<DigestedFile[]> {
  const files: DigestedFile[] = []
  for await (const { each, stored } of source.files(sides))
    for (const file of await inTurns(withDigests(each.side.files, stored, budget))) files.push(file)
  return files
}

/** Adds the stored digests to files. A file that is not stored any more, because its activity has changed or ended, gets none. */
export function withDigests(
  files: readonly SideFile[],
  stored: readonly StoredFile[],
  budget: Budget,
): Steps<DigestedFile[]> {
  const byKey = new Map(stored.map((each) => [fileKey(each), each]))
  return mapped(files, (file) => {
    const { changed_lines = null, digest = null } = byKey.get(fileKey(file)) ?? {}
    if (!(digest instanceof Uint8Array)) return { ...file, changed_lines, digest }
    budget.remaining -= DECODE_COST + BYTE_COST * digest.length
    return { ...file, changed_lines, digest: budget.remaining < 0 ? null : decodeDigest(digest) }
  })
}

export type SideFields = ComparedFields &
  Pick<
    ComparedActivity,
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
