/** `deconflict list`, `show` and `notes`: what is on record. */
import type { RequestOf } from '../../client/client.ts'
import { activityTable, notableTable, recordLines } from './record-text.ts'
import { type CommonOptions, openSession, type Session } from './session.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

export interface ListOptions extends CommonOptions {
  status?: string
  risk?: string
  actor?: string
  /** Only work on the branch, `--branch` or the one checked out. */
  mine?: boolean
  importance?: string
  category?: string
  area?: string
  limit?: string
  cursor?: string
}

type ActivityQuery = RequestOf<'listActivities'>['input']
type NotableQuery = RequestOf<'listNotables'>['input']

export async function list(world: World, options: ListOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { status, risk, actor, limit, cursor } = options
  const branch = options.mine ? (session.place.branch ?? undefined) : options.branch
  // The service says which values there are.
  const input = { status, risk, actor, limit, cursor, branch } as unknown as ActivityQuery
  const isFiltered = [status, risk, actor, branch].some((each) => each !== undefined)
  const page = await session.client.listActivities({ ...session.at, input })
  session.show(page, () => [
    ...(page.items.length > 0
      ? activityTable(page.items, session.look)
      : [isFiltered ? 'No announced work is like that.' : nobodyOn(session)]),
    ...moreLines(page.next_cursor),
  ])
  return EXIT.clear
}

function nobodyOn({ at }: Session): string {
  return `Nobody works on ${at.owner}/${at.repo}, as far as it is announced.`
}

export async function notes(world: World, options: ListOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { status, importance, category, area, limit, cursor } = options
  const input = { status, importance, category, area, limit, cursor } as unknown as NotableQuery
  const page = await session.client.listNotables({ ...session.at, input })
  session.show(page, () => [
    ...(page.items.length > 0 ? notableTable(page.items, session.look) : ['No notables hold here.']),
    ...moreLines(page.next_cursor),
  ])
  return EXIT.clear
}

function moreLines(next_cursor: string | null): string[] {
  return next_cursor === null ? [] : [`There are more: --cursor ${next_cursor}`]
}

export async function show(world: World, id: string, options: CommonOptions): Promise<ExitCode> {
  if (!/^(act|ntb)_/.test(id)) throw new CliError(`an id begins with act_ or ntb_, unlike ${id}`)
  const session = await openSession(world, options)
  const request = { ...session.at, id }
  const record = id.startsWith('ntb_')
    ? await session.client.getNotable(request)
    : await session.client.getActivity(request)
  session.show(record, () => recordLines(record, session.look))
  return EXIT.clear
}
