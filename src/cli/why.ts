/** `deconflict why NUMBER`: what a comment shows of a pull request, and why not. */
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { HIDDEN_BECAUSE } from '../vocabulary/shown.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { type CommonOptions, openContext } from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { LEVEL_STYLES } from './terminal.ts'
import { table } from './text-layout.ts'

type Pair = OutputOf<'explainPullRequest'>['pairs'][number]

export async function why(runtime: Runtime, given: string, options: CommonOptions): Promise<ExitCode> {
  const number = Number(given.replace(/^#/, ''))
  if (!Number.isSafeInteger(number) || number < 1)
    throw new CliError(`the number of a pull request is expected, not ${sanitize(given)}`)
  const { client, at, display, show } = await openContext(runtime, options)
  const found = await client.explainPullRequest({ ...at, input: { pull_request: number } })
  show(found, () => [
    `#${number} has ${found.is_commented ? 'a' : 'no'} comment${found.pairs.length === 0 ? ', and no overlap' : ''}.`,
    ...table(found.pairs.map(cellsOf), display),
  ])
  return EXIT.clear
}

function cellsOf({ consequence, severity, title, actor, pr_url, activity_id, reason, decided_by }: Pair) {
  const level = severity ? `, ${severity}` : ''
  const word = consequence === null ? 'not compared' : CONSEQUENCE_WORDS[consequence]
  const said = reason === null ? 'shown' : `not shown: ${HIDDEN_BECAUSE[reason]} (${decided_by})`
  return [
    { text: `${word}${level}`, is_whole: true, style: severity ? LEVEL_STYLES[severity] : undefined },
    { text: pullRequestName(pr_url) ?? activity_id ?? '' },
    { text: sanitize(title ?? '') },
    { text: actor === null ? '' : `by ${sanitize(actor)}` },
    { text: said },
  ]
}
