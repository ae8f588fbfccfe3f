/** Calls to GitHub about what the App publishes, as an installation: its comment on a pull request, and check runs. Each documents how many calls it makes. */
import type { Installation } from './github-app.ts'
import { LIST_LIMITS, named, type RepositoryName } from './repository-calls.ts'

/**
 * The id of the app's own comment on a pull request, found by `marker`, or null. One call per 100 comments, of which GitHub
 * allows 2,500. After the first page it searches the newest first, because a comment whose id was not stored is recent.
 */
export async function findOwnComment(
  client: Installation,
  repo: RepositoryName,
  own: { number: number; app_id: number; marker: string },
): Promise<number | null> {
  const asked = { ...named(repo), issue_number: own.number, per_page: LIST_LIMITS.page }
  const read = (page: number) => client.rest.issues.listComments({ ...asked, page })
  const first = await read(1)
  let { data } = first
  const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1)
  for (let page = last; ; page -= 1) {
    const found = data.find(
      (each) => each.performed_via_github_app?.id === own.app_id && each.body?.includes(own.marker),
    )
    if (found) return found.id
    if (page <= 1) return null
    data = (await read(page)).data
  }
}

/** Creates a comment and returns its id. One call. */
export async function createComment(
  client: Installation,
  repo: RepositoryName,
  number: number,
  body: string,
): Promise<number> {
  const { data } = await client.rest.issues.createComment({ ...named(repo), issue_number: number, body })
  return data.id
}

/** How often readers reacted to a comment with 👍 and 👎. */
export interface Reactions {
  thumbs_up: number
  thumbs_down: number
}

/** Updates the text of a comment and returns its reactions. Throws a 404 if it was deleted. One call. */
export async function editComment(
  client: Installation,
  repo: RepositoryName,
  id: number,
  body: string,
): Promise<Reactions> {
  const { data } = await client.rest.issues.updateComment({ ...named(repo), comment_id: id, body })
  return { thumbs_up: data.reactions?.['+1'] ?? 0, thumbs_down: data.reactions?.['-1'] ?? 0 }
}

export interface CheckRun {
  head_sha: string
  conclusion: 'success' | 'neutral'
  title: string
  summary: string
  /** At most 50. */
  annotations: Annotation[]
}

export interface Annotation {
  path: string
  /** First and last line, counted from 1; null for the file as a whole. */
  lines: readonly [first: number, last: number] | null
  message: string
}

/** Creates a completed check run `Deconflict` on a commit. Of several with this name, GitHub shows the latest. One call. */
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
      annotations: run.annotations.map(({ path, lines, message }) => ({
        path,
        message,
        start_line: lines?.[0] ?? 1,
        end_line: lines?.[1] ?? 1,
        annotation_level: 'notice',
      })),
    },
  })
}
