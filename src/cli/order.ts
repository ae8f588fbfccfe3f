/** `deconflict order`: in which order to merge the open pull requests that conflict with each other. */

import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { type CommonOptions, openContext } from './command-context.ts'
import { readNamed } from './named-collisions.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import type { Display } from './terminal.ts'
import { table, wrap } from './text-layout.ts'

type MergeOrder = OutputOf<'getMergeOrder'>
type Activities = Awaited<ReturnType<typeof readNamed>>

export async function order(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const found = await context.client.getMergeOrder(context.at)
  const ids = [...found.items.map(({ activity_id }) => activity_id), ...found.clear]
  const activities = options.json ? new Map() : await readNamed(context, [], ids)
  context.show(found, () => orderLines(found, activities, context.display))
  return EXIT.clear
}

function orderLines(found: MergeOrder, activities: Activities, { paint, width }: Display): string[] {
  const { items, clear, complete, reason } = found
  const urls = new Map(items.map(({ activity_id, pr_url }) => [activity_id, pr_url]))
  const nameOf = (id: string) => pullRequestName(urls.get(id) ?? activities.get(id)?.pr_url) ?? id
  const rows = items.map(({ activity_id, position, reason }) => [
    { text: `${position}.` },
    { text: nameOf(activity_id), style: 'cyan' as const },
    { text: sanitize(activities.get(activity_id)?.actor ?? '') },
    { text: sanitize(activities.get(activity_id)?.title ?? ''), style: 'bold' as const },
    { text: sanitize(reason) },
  ])
  const lines = [
    ...(items.length === 0
      ? [`No open pull requests ${complete === false ? 'are known to ' : ''}conflict with each other.`]
      : []),
    ...(clear.length === 0 ? [] : [`Clear: ${clear.map(nameOf).join(', ')}`]),
    ...(complete === false
      ? [`Incomplete: ${sanitize(reason ?? 'not all pull requests were compared')}`]
      : []),
  ]
  return [...table(rows, { paint, width }), ...lines.flatMap((line) => wrap(line, { width, indent: '  ' }))]
}
