/** The check run of a pull request, and that of an invalid settings file (docs/contract/publishing.md#check-run). Pure. */

import { SETTINGS_PATH, type SettingsProblem } from '../../vocabulary/contract/settings.ts'
import { sanitize } from '../../vocabulary/text.ts'
import { placeSentence } from '../../vocabulary/verdict-words.ts'
import type { Annotation, CheckRun } from '../github/publications.ts'
import { commentOf, headline } from './comment.ts'
import type { ReportedActivity, ReportedPath } from './counterparts.ts'
import type { Report } from './report.ts'
import { caveatsOf, nameOf, nothingShown, quote, suppressedList } from './report-words.ts'

const ANNOTATIONS_MAX = 50

/**
 * The check run `Deconflict`: the same summary as the comment, on the files that overlap
 * (docs/contract/publishing.md#check-run). `success` if everything was compared and no overlap is shown, else `neutral`;
 * never `failure`.
 */
export function checkRunOf(head_sha: string, report: Report): CheckRun {
  const isShown = report.severity !== null
  const suppressed = suppressedList(report.suppressed)
  const text = isShown ? commentOf(report) : [nothingShown(report).text, ...caveatsOf(report)].join('\n\n')
  const annotations = report.activities.flatMap((activity) =>
    activity.paths.map((path) => annotationOf(activity, path)),
  )
  const isClear = !isShown && report.gap === null && report.not_compared === null
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
