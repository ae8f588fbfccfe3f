/** The fields that an activity takes from its pull request. Pure. */
import type { ActivityRow } from './table.ts'

/** The fields of a pull request that activities use. */
export interface PullRequest {
  number: number
  url: string
  title: string
  /** Its first paragraph becomes the summary of the activity. */
  body: string
  author: string
  /** The login of the first person who is assigned to it, other than the author; null if nobody is. */
  assignee: string | null
  is_draft: boolean
  base_branch: string
  /** `owner:branch` for a fork, so that it differs from a branch of the same name in this repository. */
  branch: string
  is_fork: boolean
}

/** The fields of an activity that belongs to a pull request. */
export function pullRequestFields({
  number,
  title,
  body,
}: PullRequest): Pick<ActivityRow, 'source' | 'title' | 'summary'> {
  const name = `Pull request #${number}`
  return {
    source: 'pull_request',
    title: clip(title, 200) || name,
    summary: clip(firstParagraph(body), 4000) || clip(title, 4000) || name,
  }
}

function firstParagraph(body: string): string {
  const [paragraph = ''] = body.trim().split(/\r?\n\s*\r?\n/)
  return paragraph
}

/** At most `length` characters, without NUL and unpaired surrogates, which PostgreSQL and JSON reject. */
export function clip(text: string, length: number): string {
  return [...text.replaceAll('\u0000', '').toWellFormed().trim()].slice(0, length).join('')
}
