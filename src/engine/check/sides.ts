/** The sides of a check: what a stored activity is as a side (docs/contract/lines.md#authors), and its files with their digests. */
import { type Deadline, mapped, type Steps } from '../../vocabulary/clock.ts'
import { isListed } from '../../vocabulary/names.ts'
import type { Author, DigestedSide, IndexedSide, Intent, Side } from '../kinds/kinds.ts'
import { fingerprintOf, isWork } from '../lines/added-lines.ts'
import { type ChangeOrigin, type DigestedFile, fileKey, indexFiles, type SideFile } from '../lines/change.ts'
import { decodeDigest } from '../lines/digest.ts'
import { closingIssues } from '../lines/markdown-prose.ts'
import { manifestPlaces, takingOf } from '../lines/taken.ts'
import { authorLogin, type ComparedActivity, comparedScopeOf, issuesOf } from '../records/activity.ts'
import type { Rules } from './compare.ts'
import type { CheckContext, Names, Sided, StoredFile } from './source.ts'

/** The files of the activities that are checked, with all digests. */
export async function readOwnFiles(
  { source }: Pick<CheckContext, 'source'>,
  sides: readonly Sided[],
  deadline: Deadline,
): Promise<DigestedFile[]> {
  const files: DigestedFile[] = []
  for await (const { each, stored } of source.files(sides))
    files.push(...(await deadline.run(withDigests(each.side.files, stored, deadline))))
  return files
}

/** The number of activities that are read at once. */
const ROWS = 200

/**
 * The activities `ids` that have changed files, in this order, each as a side with the digests of its files, until the deadline.
 * Activities that were deleted meanwhile are missing.
 */
export async function* readSides(
  ctx: CheckContext,
  ids: readonly string[],
  deadline: Deadline,
): AsyncGenerator<{ row: ComparedActivity; side: Side; files: DigestedFile[] }> {
  for (let from = 0; from < ids.length && !deadline.isOver; from += ROWS) {
    const page = ids.slice(from, from + ROWS)
    const rows = new Map((await ctx.source.activities(page)).map((row) => [row.id, row]))
    const found = page.flatMap((id) => rows.get(id) ?? [])
    const sides = found.map((row) => ({ id: row.id, row, side: sideOf(row, ctx) }))
    for await (const { each, stored } of ctx.source.files(sides)) {
      if (deadline.isOver) return
      yield { ...each, files: await deadline.run(withDigests(each.side.files, stored, deadline)) }
    }
  }
}

/**
 * Adds the stored digests to files. A file that is not stored any more, because its activity has changed or ended, gets none,
 * and neither does one that the deadline does not reach.
 */
function withDigests(
  files: readonly SideFile[],
  stored: readonly StoredFile[],
  deadline: Deadline,
): Steps<DigestedFile[]> {
  const byKey = new Map(stored.map((each) => [fileKey(each), each]))
  return mapped(files, (file) => {
    const { changed_lines = null, digest = null } = byKey.get(fileKey(file)) ?? {}
    if (!(digest instanceof Uint8Array)) return { ...file, changed_lines, digest }
    return { ...file, changed_lines, digest: deadline.isOver ? null : decodeDigest(digest) }
  })
}

/** The files of work since it parted from other work: see `Source.since`. */
export async function filesSince(
  { source }: Pick<CheckContext, 'source'>,
  { id, other }: { id: string | null; other: string },
  deadline: Deadline,
): Promise<DigestedFile[] | undefined> {
  const since = await source.since?.(id, other)
  return since && deadline.run(withDigests(since, since, deadline))
}

export function sideOf(row: ComparedActivity, ctx: Pick<CheckContext, 'repo' | 'settings'>): Side {
  const base: Record<ChangeOrigin, string | null> = { declared: row.base_sha, pushed: row.pushed_base_sha }
  return {
    files: comparedScopeOf(row).files.map((file) => ({ ...file, base_sha: base[file.origin] })),
    ...intentOf(row, ctx),
  }
}

/** A side without its files: its author, and the issues that it closes. */
export function intentOf(
  row: ComparedActivity,
  { repo, settings }: Pick<CheckContext, 'repo' | 'settings'>,
): Intent {
  const issues = new Set(issuesOf(row))
  return { issues, closes: new Set([...issues, ...namedIssues(row, repo)]), author: authorOf(row, settings) }
}

/** The issues that title and summary close; none once it is known what its pull request closes. */
function namedIssues(
  { source, title, summary, closes }: ComparedActivity,
  { web_urls }: Pick<CheckContext['repo'], 'web_urls'>,
): number[] {
  return source === 'pull_request' && closes ? [] : closingIssues([title, summary], web_urls)
}

function authorOf(row: ComparedActivity, settings: CheckContext['settings']): Author {
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

export function* digestedSide(
  side: Intent,
  files: readonly DigestedFile[],
  { noise, numbers }: Pick<Rules, 'noise' | 'numbers'>,
): Steps<DigestedSide> {
  const fingerprint = yield* fingerprintOf(files, noise)
  const byHand = files.filter(({ migration }) => !migration)
  const written = byHand.length < files.length ? yield* fingerprintOf(byHand, noise) : fingerprint
  yield
  const counted = new Set<string>()
  for (const file of files) {
    if (!numbers.isIgnored(file.path) && isWork(file, noise)) counted.add(fileKey(file))
    yield
  }
  const manifests = new Set(manifestPlaces(files, numbers))
  return { ...side, files, counted, manifests, fingerprint, written, taking: takingOf(files) }
}

/** `names`: those that other sides can have too. */
export function* indexedSide(
  side: Intent,
  files: readonly DigestedFile[],
  { names, rules }: { names: Names; rules: Pick<Rules, 'noise' | 'numbers'> },
): Steps<IndexedSide> {
  const index = new Map([...indexFiles(files)].filter(([name]) => names.has(name)))
  return { ...(yield* digestedSide(side, files, rules)), index }
}

/**
 * Whether both have the same GitHub user. A coding agent works for many people: then they also need the same actor if both are
 * declared, else the same assignee.
 */
export function isSameAuthor(one: Author, other: Author): boolean {
  if (one.login === null || one.login.toLowerCase() !== other.login?.toLowerCase()) return false
  if (!one.is_shared) return true
  if (one.actor !== null && other.actor !== null) return one.actor === other.actor
  return one.assignee !== null && one.assignee === other.assignee
}

const UNKNOWN_AUTHOR: Author = { login: null, actor: null, assignee: null, is_shared: false }

export function joinSides(sides: readonly Side[]): Side {
  return {
    files: sides.flatMap(({ files }) => files),
    issues: new Set(sides.flatMap(({ issues }) => [...issues])),
    closes: new Set(sides.flatMap(({ closes }) => [...closes])),
    author: sides[0]?.author ?? UNKNOWN_AUTHOR,
  }
}
