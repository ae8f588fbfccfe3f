/** What to publish on a pull request: nothing that GitHub has already, or that it has refused. Pure. */
import { createHash } from 'node:crypto'
import type { CheckRun } from '../github/check-runs.ts'
import { isMuted, type PullRequestRow } from '../records/pull-requests/table.ts'
import { checkRunOf } from './check-run.ts'
import { commentOf, farewellComment, mutedComment, TEXT_VERSION } from './comment.ts'
import type { Charge, Report } from './report.ts'

export interface CommentText {
  text: string
  /** The hash of the text without counts and time. */
  hash: string
  /** It shows an overlap. No comment is created to say that nothing overlaps. */
  is_overlap: boolean
  /** See `Report`. */
  charge: Charge | null
}

export interface Publication {
  /** The comment to write, or whether the one on the pull request shows an overlap already. */
  comment: CommentText | 'shows_overlap' | 'shows_none'
  check_run: { run: CheckRun; hash: string } | null
}

/** `settings.check_run`: whether the repository has check runs. */
export function planPublication(
  pr: PullRequestRow,
  report: Report,
  { check_run }: { check_run: boolean },
): Publication {
  return { comment: planComment(pr, report), check_run: check_run ? planCheckRun(pr, report) : null }
}

function planComment(pr: PullRequestRow, report: Report): Publication['comment'] {
  const text = writeText(pr, report)
  const essence = writeText(pr, withoutCounts(report))
  if (text === null || essence === null) return 'shows_none'
  const hash = hashText(essence)
  const is_overlap = hasOverlap(pr, report)
  if (hash === pr.comment_hash) return is_overlap && pr.comment_id !== null ? 'shows_overlap' : 'shows_none'
  if (hash === pr.comment_refused) return 'shows_none'
  // After an upgrade, comments with the former text are edited with the next event of their own pull request only.
  const isOld = pr.comment_id !== null && pr.comment_version !== TEXT_VERSION
  if (isOld && !pr.is_due) return 'shows_none'
  return { text, hash, is_overlap, charge: report.charge }
}

/** Whether the comment for the report shows an overlap. */
export function hasOverlap(pr: Parameters<typeof isMuted>[0], { severity }: Report): boolean {
  return severity !== null && !isMuted(pr)
}

/** The text of the comment; null to publish none. */
function writeText(pr: PullRequestRow, report: Report): string | null {
  const isPublished = pr.comment_hash !== null
  if (isMuted(pr)) return isPublished ? mutedComment(report.as_of) : null
  return isPublished || report.earns_comment ? commentOf(report) : null
}

/** The hash of all that is published when Deconflict leaves a repository. */
export const FAREWELL = 'farewell'

/** What is published on a pull request when Deconflict leaves the repository: nothing where it stands already, or never stood. */
export function farewellTo(pr: PullRequestRow, as_of: Date): Publication {
  const isUnsaid = (hash: string | null, refused: string | null) =>
    hash !== null && hash !== FAREWELL && refused !== FAREWELL
  const { sentence, text } = farewellComment(as_of)
  const run = { head_sha: pr.head_sha, conclusion: 'neutral' as const, title: sentence, summary: sentence }
  return {
    comment: isUnsaid(pr.comment_hash, pr.comment_refused)
      ? { text, hash: FAREWELL, is_overlap: false, charge: null }
      : 'shows_none',
    check_run:
      pr.is_open && isUnsaid(pr.check_hash, pr.check_refused)
        ? { run: { ...run, annotations: [] }, hash: FAREWELL }
        : null,
  }
}

function planCheckRun(pr: PullRequestRow, report: Report): Publication['check_run'] {
  if (isMuted(pr)) return null
  const hash = hashText(JSON.stringify(checkRunOf(pr.head_sha, withoutCounts(report))))
  if (hash === pr.check_hash || hash === pr.check_refused) return null
  return { run: checkRunOf(pr.head_sha, report), hash }
}

/** The report without counts and time. If nothing else changed, it is not published again. */
function withoutCounts(report: Report): Report {
  return { ...report, as_of: null, compared: { activities: 0, notables: 0, expected: 0 } }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
