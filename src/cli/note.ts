/** `deconflict note`: creates a notable. */

import type { RequestOf } from '../client/client.ts'
import { isNotableId } from '../vocabulary/names.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { type CommandContext, type CommonOptions, openContext } from './command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { relativeTime } from './terminal.ts'
import { resolvePaths } from './workspace.ts'

export interface NoteOptions extends CommonOptions {
  summary?: string
  importance: string
  category: string
  decision?: string
  until?: string
  paths?: string[]
  area?: string[]
  blocking?: boolean
  supersedes?: string[]
  /** The id of a notable that does not apply any more. */
  end?: string
}

export async function endNotable(context: CommandContext, id: string): Promise<ExitCode> {
  const { client, at, show } = context
  if (!isNotableId(id))
    throw new CliError(`the id of a notable starts with ntb_, but this is ${sanitize(id)}`)
  const ended = await client.archiveNotable({ ...at, id })
  show(ended, () => [`Done: ${ended.id} is ${ended.status}`])
  return EXIT.clear
}

export async function note(
  runtime: Runtime,
  title: string | undefined,
  options: NoteOptions,
): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  if (options.end !== undefined) return endNotable(context, options.end)
  if (title === undefined) throw new CliError('a title is missing: deconflict note "TITLE", or note --end ID')
  const { paths = [], area = [], supersedes = [] } = options
  const input = {
    title,
    summary: options.summary ?? title,
    importance: options.importance,
    category: options.category,
    scope: { paths: await resolvePaths(context.workspace, paths), areas: area },
    supersedes,
    decision_url: options.decision ?? null,
    applies_until: options.until ?? null,
    blocking: options.blocking ?? false,
    // The service validates the values.
  } as RequestOf<'createNotable'>['input']
  const notable = await context.client.createNotable({ ...context.at, input })
  context.show(notable, () => [
    `Created “${sanitize(notable.title)}”, ${notable.importance}; expires ${relativeTime(notable.expires_at, context.display.now)} (${notable.id})`,
  ])
  return EXIT.clear
}
