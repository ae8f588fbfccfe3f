/** `deconflict note`: tells everyone who works in some part of the repository. */
import type { RequestOf } from '../../client/client.ts'
import { type CommonOptions, openSession } from './session.ts'
import { plain, relative } from './terminal.ts'
import { EXIT, type ExitCode, type World } from './world.ts'

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

export async function note(world: World, title: string, options: NoteOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { paths = [], area = [], supersedes = [] } = options
  // The service says which values there are.
  const input = {
    title,
    summary: options.summary ?? title,
    importance: options.importance,
    category: options.category,
    scope: { paths, areas: area },
    supersedes,
    decision_url: options.decision ?? null,
    applies_until: options.until ?? null,
    blocking: options.blocking ?? false,
  } as RequestOf<'createNotable'>['input']
  const notable = await session.client.createNotable({ ...session.at, input })
  session.show(notable, () => [
    `Noted “${plain(notable.title)}”, ${notable.importance}, ends ${relative(notable.expires_at, session.look.now)}: ${notable.id}`,
  ])
  return EXIT.clear
}
