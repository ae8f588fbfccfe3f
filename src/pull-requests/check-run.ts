/** The check run `Deconflict`: the same summary as the comment, on the files that overlap (contract §10). Pure. */
import { SETTINGS_PATH } from '../context/following.ts'
import type { SettingsProblem } from '../context/settings.ts'
import type { CheckRun } from '../github/client.ts'
import { belowList, caveatsOf, commentOf, headline, nothingToTell, quote } from './comment.ts'
import type { Report } from './report.ts'

const ANNOTATIONS_MAX = 50

/** `success` where all was compared and nothing is to be told, else `neutral`; never a failure. */
export function checkRunOf(head_sha: string, report: Report): CheckRun {
  const isTold = report.severity !== null
  const below = belowList(report.below)
  const text = isTold ? commentOf(report) : quietSummary(report)
  const annotations = report.works.flatMap((work) => {
    const other = work.pull_request ? `#${work.pull_request.number}` : (work.branch ?? work.title)
    return work.examples.map((path) => ({
      path,
      line: null,
      message: `${work.actor} works here too, in ${other}: ${work.title}`,
    }))
  })
  const isClear = !isTold && report.is_complete && report.not_compared === null
  return {
    head_sha,
    conclusion: isClear ? 'success' : 'neutral',
    title: isTold ? headline(report) : nothingToTell(report).heading,
    summary: below === undefined ? text : `${text}\n\n${below}`,
    annotations: annotations.slice(0, ANNOTATIONS_MAX),
  }
}

function quietSummary(report: Report): string {
  return [nothingToTell(report).text, ...caveatsOf(report)].join('\n\n')
}

/** What is wrong with the settings file, on the commit that brought it. */
export function settingsRunOf(head_sha: string, problems: SettingsProblem[]): CheckRun {
  const lines = problems.map(({ line, key, message }) => {
    const where = [line === null ? '' : `line ${line}`, key ?? ''].filter(Boolean).join(', ')
    return `- ${where === '' ? '' : `${quote(where)}: `}${quote(message)}`
  })
  return {
    head_sha,
    conclusion: 'neutral',
    title: 'The settings file has mistakes; the last good settings stay in force',
    summary: [`${quote(SETTINGS_PATH)}:`, '', ...lines].join('\n'),
    annotations: problems
      .slice(0, ANNOTATIONS_MAX)
      .map(({ line, message }) => ({ path: SETTINGS_PATH, line, message })),
  }
}
