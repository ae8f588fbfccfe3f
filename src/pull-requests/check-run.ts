/** The check run `Deconflict`: the same summary as the comment, on the files that overlap (contract §10). Pure. */
import { SETTINGS_PATH } from '../context/installed-repository.ts'
import type { SettingsProblem } from '../context/settings.ts'
import type { CheckRun } from '../github/client.ts'
import { belowList, caveatsOf, commentOf, headline, nothingShown, quote } from './comment.ts'
import type { Report } from './report.ts'

const ANNOTATIONS_MAX = 50

/** `success` if everything was compared and nothing is shown, else `neutral`; never `failure`. */
export function checkRunOf(head_sha: string, report: Report): CheckRun {
  const isShown = report.severity !== null
  const below = belowList(report.below)
  const text = isShown ? commentOf(report) : quietSummary(report)
  const annotations = report.works.flatMap((work) => {
    const other = work.pull_request ? `#${work.pull_request.number}` : (work.branch ?? work.title)
    return work.examples.map((path) => ({
      path,
      line: null,
      message: `${work.actor} changes this file too, in ${other}: ${work.title}`,
    }))
  })
  const isClear = !isShown && report.is_complete && report.not_compared === null
  return {
    head_sha,
    conclusion: isClear ? 'success' : 'neutral',
    title: isShown ? headline(report) : nothingShown(report).heading,
    summary: below === undefined ? text : `${text}\n\n${below}`,
    annotations: annotations.slice(0, ANNOTATIONS_MAX),
  }
}

function quietSummary(report: Report): string {
  return [nothingShown(report).text, ...caveatsOf(report)].join('\n\n')
}

/** The mistakes in the settings file, on the commit that changed it. */
export function settingsRunOf(head_sha: string, problems: SettingsProblem[]): CheckRun {
  const lines = problems.map(({ line, key, message }) => {
    const where = [line === null ? '' : `line ${line}`, key ?? ''].filter(Boolean).join(', ')
    return `- ${where === '' ? '' : `${quote(where)}: `}${quote(message)}`
  })
  return {
    head_sha,
    conclusion: 'neutral',
    title: 'The settings file is invalid; the last valid settings stay in force',
    summary: [`${quote(SETTINGS_PATH)}:`, '', ...lines].join('\n'),
    annotations: problems
      .slice(0, ANNOTATIONS_MAX)
      .map(({ line, message }) => ({ path: SETTINGS_PATH, line, message })),
  }
}
