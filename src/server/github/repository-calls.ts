/** Calls to GitHub as an installation of the App, or with the token that watches a repository. Each function documents how many calls it makes. */
import type { Octokit } from '@octokit/rest'
import type { FileEntry } from '../../engine/lines/change.ts'
import { statusOf } from './client.ts'
import type { Installation } from './github-app.ts'

export interface RepositoryName {
  owner: string
  name: string
}

/** How many items a page of GitHub's lists has, and where GitHub cuts a list. */
export interface ListLimits {
  /** Items of a page. */
  page: number
  /** Changed files of a pull request. */
  files: number
  /** Changed files of a comparison of two branches. */
  compared_files: number
}

/** Those of github.com and Enterprise Server. Tests start the service with smaller ones, to reach the end of a list with few items. */
export const LIST_LIMITS: ListLimits = { page: 100, files: 3000, compared_files: 300 }

type Rest = Octokit['rest']

/** The calls that read a repository. A client of this type cannot write. */
export interface Reader {
  rest: {
    git: Pick<Rest['git'], 'getTree'>
    pulls: Pick<Rest['pulls'], 'get' | 'list' | 'listFiles'>
    repos: Pick<Rest['repos'], 'compareCommitsWithBasehead' | 'get' | 'getBranch' | 'getContent'>
  }
}

const PULL_REQUEST_PAGES_MAX = 300

/** The parameters of a call. */
export function named({ owner, name }: RepositoryName) {
  return { owner, repo: name }
}

/** The maximum number of smaller pages that are read for patches that GitHub left out. */
const PATCH_PAGES_MAX = 5
/** Sizes of the smaller pages. All divide a full page, so that the first smaller page starts where the full page does. */
const PATCH_PAGE_SIZES = [1, 2, 4, 5, 10, 20]

/**
 * The files that a pull request changes, at most `limits.files`. One call per page. If GitHub left out the patches of a
 * whole response, they are read in smaller pages: at most five further calls altogether.
 */
export async function listChangedFiles(
  client: Reader,
  repo: RepositoryName,
  { number, limits }: { number: number; limits: ListLimits },
): Promise<FileEntry[]> {
  const read = async (per_page: number, page: number): Promise<FileEntry[]> =>
    (await client.rest.pulls.listFiles({ ...named(repo), pull_number: number, per_page, page })).data
  const files: FileEntry[] = []
  let left = PATCH_PAGES_MAX
  for (let page = 1; page <= limits.files / limits.page; page += 1) {
    const listed = await read(limits.page, page)
    const size = PATCH_PAGE_SIZES.find((each) => listed.length <= each * PATCH_PAGES_MAX) ?? limits.page
    const pages = lacksAllPatches(listed) ? Math.min(left, Math.ceil(listed.length / size)) : 0
    left -= pages
    const first = ((page - 1) * limits.page) / size + 1
    const withPatches: FileEntry[] = []
    for (let each = 0; each < pages; each += 1) withPatches.push(...(await read(size, first + each)))
    files.push(...withPatches, ...listed.slice(withPatches.length))
    if (listed.length < limits.page) break
  }
  return files
}

/** What a branch changes since it left the branch `base`. */
export interface Comparison {
  /** The commit that the patches start from. */
  merge_base_sha: string
  /** Cut by GitHub at `ListLimits.compared_files`. */
  files: FileEntry[]
  /** The newest 250 of its commits: what GitHub lists without paging. */
  commits: string[]
  /** Its head commit. */
  head: { sha: string; message: string }
}

/** Compares two branches. Throws a 404 if one does not exist. One call. */
export async function compareBranches(
  client: Reader,
  repo: RepositoryName,
  { base, head }: { base: string; head: string },
): Promise<Comparison> {
  const asked = { ...named(repo), basehead: `${base}...${head}` }
  const { data } = await client.rest.repos.compareCommitsWithBasehead(asked)
  const commits = data.commits.map(({ sha }) => sha)
  const { sha, commit } = data.commits.at(-1) ?? data.merge_base_commit
  const merge_base_sha = data.merge_base_commit.sha
  return { merge_base_sha, files: data.files ?? [], commits, head: { sha, message: commit.message } }
}

/** Whether there is an open pull request; with `branch`, from this branch of the repository itself. One call. */
export async function hasOpenPullRequest(
  client: Reader,
  repo: RepositoryName,
  branch?: string,
): Promise<boolean> {
  const from = branch === undefined ? {} : { head: `${repo.owner}:${branch}` }
  const { data } = await client.rest.pulls.list({ ...named(repo), state: 'open', ...from, per_page: 1 })
  return data.length > 0
}

/** Whether a response has several text files, and none of them has a patch. */
function lacksAllPatches(files: FileEntry[]): boolean {
  const texts = files.filter(({ additions = 0, deletions = 0 }) => additions + deletions > 0)
  return texts.length > 1 && texts.every(({ patch }) => patch === undefined)
}

/**
 * The text of a file at a commit or on the default branch; null if it does not exist, or the App may not read contents. A commit that GitHub does not have any more also
 * means the default branch. One call.
 */
export async function readFile(
  client: Reader,
  repo: RepositoryName,
  { path, ref }: { path: string; ref: string | null },
): Promise<string | null> {
  try {
    const { data } = await client.rest.repos.getContent({ ...named(repo), path, ...(ref && { ref }) })
    if (Array.isArray(data) || data.type !== 'file') return null
    // GitHub omits the content of files over 1 MB. Callers reject this placeholder because of its length.
    return data.encoding === 'base64'
      ? Buffer.from(data.content, 'base64').toString('utf8')
      : '#'.repeat(data.size)
  } catch (error) {
    if (!isNotFound(error) && !isWithoutPermission(error)) throw error
    return ref !== null && isCommitUnknown(error) ? readFile(client, repo, { path, ref: null }) : null
  }
}

/** A page of the open pull requests, those opened last first. One call. */
export function listOpenPage(
  client: Reader,
  repo: RepositoryName,
  { page, limits, headers = {} }: { page: number; limits: ListLimits; headers?: Record<string, string> },
) {
  return client.rest.pulls.list({ ...named(repo), state: 'open', per_page: limits.page, page, headers })
}

/** The open pull requests, those opened last first, in pages. One call per page. */
export async function* openPullRequests(
  client: Reader,
  repo: RepositoryName,
  { limits, pages_max = PULL_REQUEST_PAGES_MAX }: { limits: ListLimits; pages_max?: number | undefined },
) {
  for (let page = 1; page <= pages_max; page += 1) {
    const { data } = await listOpenPage(client, repo, { page, limits })
    yield data
    if (data.length < limits.page) return
  }
}

/** Whether contents were not found because GitHub has no such branch or commit. */
export function isCommitUnknown(error: unknown): boolean {
  return /No commit found/i.test((error as Error).message)
}

/** What the App may do in an installation. No call, if its client was used within the hour. */
export async function permissionsOf(client: Installation): Promise<Record<string, string>> {
  const { permissions } = (await client.auth({ type: 'installation' })) as {
    permissions: Record<string, string>
  }
  return permissions
}

/** Whether the App has no permission for a call (app.readonly.yml). */
export function isWithoutPermission(error: unknown): boolean {
  return statusOf(error) === 403 && /not accessible by integration/i.test((error as Error).message)
}

/** For what can be done without. */
export function nullIfWithoutPermission(error: unknown): null {
  if (!isWithoutPermission(error)) throw error
  return null
}

/** What a call answers; undefined if the resource does not exist, or no longer exists. */
export async function ifFound<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Whether a call failed because the resource does not exist, or no longer exists. */
export function isNotFound(error: unknown): boolean {
  const status = statusOf(error)
  return status === 404 || status === 410
}
