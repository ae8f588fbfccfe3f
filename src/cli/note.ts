/** `deconflict note`: creates a notable. */

import type { RequestOf } from '../client/client.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { type CommonOptions, openContext } from './command-context.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
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
}

export async function note(runtime: Runtime, title: string, options: NoteOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
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
