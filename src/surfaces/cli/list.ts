/** `deconflict list`, `show` and `notes`: what is on record. */
import type { RequestOf } from '../../client/client.ts'
import type { OutputOf } from '../../operations/contract.ts'
import { announcedHere } from './own.ts'
import { activityTable, notableTable, recordLines } from './record-text.ts'
import { type CommonOptions, openSession, type Session } from './session.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

export interface ListOptions extends CommonOptions {
  status?: string
  risk?: string
  actor?: string
  /** Only work on the branch, `--branch` or the one checked out; on the base, what was announced from here. */
  mine?: boolean
  importance?: string
  category?: string
  area?: string
  limit?: string
  cursor?: string
}

type ActivityQuery = NonNullable<RequestOf<'listActivities'>['input']>
type NotableQuery = RequestOf<'listNotables'>['input']

export async function list(world: World, options: ListOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { status, risk, actor, limit, cursor } = options
  const { own_branch } = session.place
  const branch = options.mine ? (own_branch ?? undefined) : options.branch
  // The service says which values there are.
  const input = { status, risk, actor, limit, cursor, branch } as unknown as ActivityQuery
  const isFiltered = [status, risk, actor, branch, options.mine].some((each) => each !== undefined)
  const page =
    options.mine && own_branch === null
      ? await ownPage(session, input)
      : await session.client.listActivities({ ...session.at, input })
  session.show(page, () => [
    ...(page.items.length > 0
      ? activityTable(page.items, session.look)
      : [isFiltered ? 'No announced work is like that.' : nobodyOn(session)]),
    ...moreLines(page.next_cursor),
  ])
  return EXIT.clear
}

/** The first page that has work which was announced from here, and that alone: work on the base has no branch to ask for. */
async function ownPage(
  { client, at, place }: Session,
  query: ActivityQuery,
): Promise<OutputOf<'listActivities'>> {
  const own = await announcedHere(place)
  const [oldest] = [...own].sort()
  let input = { ...query, limit: query.limit ?? 100 }
  for (;;) {
    const page = await client.listActivities({ ...at, input })
    const items = page.items.filter(({ id }) => own.has(id))
    const last = page.items.at(-1)
    // Ids are ordered by time, and the newest come first.
    const mayGoOn = oldest !== undefined && last !== undefined && oldest < last.id
    const next_cursor = mayGoOn ? page.next_cursor : null
    if (items.length > 0 || next_cursor === null) return { items, next_cursor }
    input = { ...input, cursor: next_cursor }
  }
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
