/**
 * What to publish on a pull request, as a comment and as a check run: nothing that GitHub has already, or that it has
 * refused. Pure.
 */

import { createHash } from 'node:crypto'
import { SETTINGS_PATH, type SettingsProblem } from '../../vocabulary/contract/settings.ts'
import { sanitize } from '../../vocabulary/others-text.ts'
import { placeSentence } from '../../vocabulary/verdict-words.ts'
import type { Annotation, CheckRun } from '../github/publications.ts'
import { isMuted, type PullRequestRow } from '../records/pull-requests/table.ts'
import { commentOf, farewellComment, headline, mutedComment, TEXT_VERSION } from './comment.ts'
import type { ReportedActivity, ReportedPath } from './counterparts.ts'
import type { Report } from './report.ts'
import { caveatsOf, nameOf, nothingShown, quote, suppressedList } from './report-words.ts'

export interface CommentText {
  text: string
  /** The hash of the text without counts and time. */
  hash: string
  /** It shows an overlap. No comment is created to say that nothing overlaps. */
  is_overlap: boolean
  /** See `Report`. */
  charge: Report['charge']
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

const ANNOTATIONS_MAX = 50

/**
 * The check run `Deconflict`: the same summary as the comment, on the files that overlap
 * (docs/contract/publishing.md#check-run). `success` if everything was compared and no overlap is shown, else `neutral`;
 * never `failure`.
 */
export function checkRunOf(head_sha: string, report: Report): CheckRun {
  const isShown = report.severity !== null
  const suppressed = suppressedList(report.suppressed)
  const text = isShown ? commentOf(report) : quietSummary(report)
  const annotations = report.activities.flatMap((activity) =>
    activity.paths.map((path) => annotationOf(activity, path)),
  )
  const isClear = !isShown && report.is_complete && report.not_compared === null
  return {
    head_sha,
    conclusion: isClear ? 'success' : 'neutral',
    title: isShown ? headline(report) : nothingShown(report).heading,
    summary: suppressed === undefined ? text : `${text}\n\n${suppressed}`,
    annotations: annotations.slice(0, ANNOTATIONS_MAX),
  }
}

/** GitHub places an annotation at lines of the head commit, and shows its message as plain text. The message names lines of the base. */
function annotationOf(activity: ReportedActivity, path: ReportedPath): Annotation {
  const what = placeSentence(sanitize(nameOf(activity)), path, sanitize)
  const title = activity.title === null ? '' : `: ${sanitize(activity.title)}`
  const { path: file, lines } = path.head ?? { path: path.example, lines: null }
  return { path: file, lines, message: `${what}${title}, by ${sanitize(activity.actor)}` }
}

/** The summary if nothing is shown. */
function quietSummary(report: Report): string {
  return [nothingShown(report).text, ...caveatsOf(report)].join('\n\n')
}

/** The check run that lists the errors in the settings file, on the commit that changed it. */
export function settingsRunOf(
  head_sha: string,
  problems: SettingsProblem[],
  { is_first }: { is_first: boolean },
): CheckRun {
  const lines = problems.map(({ line, key, message }) => {
    const where = [line === null ? '' : `line ${line}`, key ?? ''].filter(Boolean).join(', ')
    return `- ${where === '' ? '' : `${quote(where)}: `}${quote(message)}`
  })
  return {
    head_sha,
    conclusion: 'neutral',
    title: `The settings file is invalid; ${is_first ? 'nothing is posted until it is valid' : 'the last valid settings stay in force'}`,
    summary: [`${quote(SETTINGS_PATH)}:`, '', ...lines].join('\n'),
    annotations: problems.slice(0, ANNOTATIONS_MAX).map(({ line, message }) => ({
      path: SETTINGS_PATH,
      lines: line === null ? null : [line, line],
      message: sanitize(message),
    })),
  }
}
