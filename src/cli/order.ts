/** `deconflict order`: in which order to merge the open pull requests that conflict with each other. */

import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { type CommandContext, type CommonOptions, openContext } from './command-context.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import type { Display } from './terminal.ts'
import { table, wrap } from './text-layout.ts'

type MergeOrder = OutputOf<'getMergeOrder'>
type Activity = OutputOf<'listActivities'>['items'][number]
type Activities = ReadonlyMap<string, Activity>

/** The maximum number of pages of activities that are read to name those in the order: as many activities as the service compares. */
const PAGES_MAX = 10

export async function order(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const found = await context.client.getMergeOrder(context.at)
  const activities = options.json ? new Map() : await readActivities(context, found)
  context.show(found, () => orderLines(found, activities, context.display))
  return EXIT.clear
}

/** The activities in the order, by id. */
async function readActivities(
  { client, at }: CommandContext,
  { items, clear }: MergeOrder,
): Promise<Activities> {
  const missing = new Set([...items.map(({ activity_id }) => activity_id), ...clear])
  const found = new Map<string, Activity>()
  let cursor: string | null | undefined
  for (let page = 0; page < PAGES_MAX && missing.size > 0 && cursor !== null; page += 1) {
    const listed: OutputOf<'listActivities'> = await client.listActivities({
      ...at,
      input: { limit: 100, ...(cursor && { cursor }) },
    })
    for (const each of listed.items) if (missing.delete(each.id)) found.set(each.id, each)
    cursor = listed.next_cursor
  }
  return found
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
