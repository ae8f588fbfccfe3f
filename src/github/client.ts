/** What the service asks of GitHub as an installation of the app. Each function says how many calls it makes. */
import { recordEffect } from '../telemetry/execution.ts'
import type { Installation } from './app.ts'

export interface RepositoryName {
  owner: string
  name: string
}

/** GitHub shows at most this many changed files of a pull request. */
const FILES_MAX = 3000
const PAGE = 100
/** Pages of comments that are searched for the app's own: GitHub takes no more than 2,500 comments on one pull request. */
const COMMENT_PAGES_MAX = 30
/** Pages of open pull requests that are read. */
const PULL_PAGES_MAX = 300

function named({ owner, name }: RepositoryName) {
  return { owner, repo: name }
}

/** The paths that a pull request changes, a renamed file under both names; one call for each hundred files. */
export async function listChangedFiles(
  client: Installation,
  repo: RepositoryName,
  number: number,
): Promise<string[]> {
  const paths = new Set<string>()
  for (let page = 1; page <= FILES_MAX / PAGE; page += 1) {
    const { data } = await client.rest.pulls.listFiles({
      ...named(repo),
      pull_number: number,
      per_page: PAGE,
      page,
    })
    for (const file of data) {
      paths.add(file.filename)
      if (file.previous_filename !== undefined) paths.add(file.previous_filename)
    }
    if (data.length < PAGE) break
  }
  return [...paths]
}

/** The text of a file on a branch or commit (default: the default branch), or null where there is none; one call. */
export async function readFile(
  client: Installation,
  repo: RepositoryName,
  path: string,
  ref?: string,
): Promise<string | null> {
  try {
    const { data } = await client.rest.repos.getContent({ ...named(repo), path, ...(ref ? { ref } : {}) })
    if (Array.isArray(data) || data.type !== 'file') return null
    // Of a file over 1 MB GitHub sends no content. Readers refuse what is too long, and this is.
    if (data.encoding !== 'base64') return '#'.repeat(data.size)
    return Buffer.from(data.content, 'base64').toString('utf8')
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/**
 * The id of the comment on a pull request that this app made and that holds `marker`, or null. One call for each hundred
 * comments, after the first page the newest first: what is not remembered was made lately.
 */
export async function findOwnComment(
  client: Installation,
  repo: RepositoryName,
  own: { number: number; app_id: number; marker: string },
): Promise<number | null> {
  const read = (page: number) =>
    client.rest.issues.listComments({
      ...named(repo),
      issue_number: own.number,
      per_page: PAGE,
      page,
    })
  const first = await read(1)
  let { data } = first
  const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1)
  for (let page = last, pages = 1; ; page -= 1, pages += 1) {
    const found = data.find(
      (each) => each.performed_via_github_app?.id === own.app_id && each.body?.includes(own.marker),
    )
    if (found) return found.id
    if (page <= 1 || pages >= COMMENT_PAGES_MAX) return null
    data = (await read(page)).data
  }
}

/** The open pull requests, up to a hundred at a time; one call for each hundred. */
export async function* openPullRequests(client: Installation, repo: RepositoryName) {
  for (let page = 1; page <= PULL_PAGES_MAX; page += 1) {
    const { data } = await client.rest.pulls.list({ ...named(repo), state: 'open', per_page: PAGE, page })
    yield data
    if (data.length < PAGE) return
  }
}

/** Makes a comment and answers its id; one call. */
export async function createComment(
  client: Installation,
  repo: RepositoryName,
  number: number,
  body: string,
): Promise<number> {
  const { data } = await client.rest.issues.createComment({ ...named(repo), issue_number: number, body })
  recordEffect('commented')
  return data.id
}

/** Puts a new text into a comment; false when somebody has deleted it. One call. */
export async function editComment(
  client: Installation,
  repo: RepositoryName,
  id: number,
  body: string,
): Promise<boolean> {
  try {
    await client.rest.issues.updateComment({ ...named(repo), comment_id: id, body })
    recordEffect('comment_edited')
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

export interface CheckRun {
  head_sha: string
  conclusion: 'success' | 'neutral'
  title: string
  summary: string
  /** At most 50. */
  annotations: { path: string; line: number | null; message: string }[]
}

/** Reports a completed check run `Deconflict` on a commit; one call. A later one of the same name takes its place. */
export async function reportCheckRun(
  client: Installation,
  repo: RepositoryName,
  run: CheckRun,
): Promise<void> {
  await client.rest.checks.create({
    ...named(repo),
    name: 'Deconflict',
    head_sha: run.head_sha,
    status: 'completed',
    conclusion: run.conclusion,
    output: {
      title: run.title,
      summary: run.summary,
      annotations: run.annotations.map(({ path, line, message }) => ({
        path,
        message,
        start_line: line ?? 1,
        end_line: line ?? 1,
        annotation_level: 'notice',
      })),
    },
  })
  recordEffect('check_run_reported')
}

/** Whether a call failed because the thing is not, or no longer, there. */
export function isNotFound(error: unknown): boolean {
  const { status } = error as { status?: number }
  return status === 404 || status === 410
}
