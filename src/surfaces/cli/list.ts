/** `deconflict list`, `show` and `notes`: what is on record. */
import { isLive } from '../../activities/lifecycle.ts'
import type { RequestOf } from '../../client/client.ts'
import type { OutputOf } from '../../operations/contract.ts'
import { collisionsOf, overlapsAmong } from './collisions.ts'
import { incompleteLines } from './overlap-text.ts'
import { announcedHere } from './own.ts'
import { activityLines, notableLines, recordLines } from './record-text.ts'
import { type CommonOptions, openSession, type Session } from './session.ts'
import { plain } from './terminal.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

export interface ListOptions extends CommonOptions {
  status?: string
  risk?: string
  actor?: string
  /** Only work on the branch, `--branch` or the one checked out; on the base, what was announced from here. */
  mine?: boolean
  /** Not live work alone. */
  all?: boolean
  importance?: string
  category?: string
  area?: string
  limit?: string
  cursor?: string
}

type ActivityQuery = NonNullable<RequestOf<'listActivities'>['input']>
type NotableQuery = RequestOf<'listNotables'>['input']
type ActivityPage = OutputOf<'listActivities'>
type Activity = ActivityPage['items'][number]

export async function list(world: World, options: ListOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const page = await pageOf(session, options)
  const lines = options.json ? [] : await linesOf(session, page.items)
  session.show(page, () => [
    ...(page.items.length > 0 ? lines : [noneText(session, options)]),
    ...moreLines(page.next_cursor),
  ])
  return EXIT.clear
}

async function pageOf(session: Session, options: ListOptions): Promise<ActivityPage> {
  const { status, risk, actor, limit, cursor, mine, all = false } = options
  const { own_branch } = session.place
  const branch = mine ? (own_branch ?? undefined) : options.branch
  // The service says which values there are.
  const query = { status, risk, actor, limit, cursor, branch } as unknown as ActivityQuery
  const read = all && status === undefined ? readAll : readPage
  const isShown = (each: Activity) => all || status !== undefined || isLive(each.status)
  if (!mine || own_branch !== null) return firstPage(session, query, { read, isShown })
  // Work on the base has no branch to ask for.
  const own = await announcedHere(session.place)
  const [oldest] = [...own].sort()
  if (oldest === undefined) return { items: [], next_cursor: null }
  const isOwn = (each: Activity) => own.has(each.id) && isShown(each)
  return firstPage(session, { ...query, limit: query.limit ?? 100 }, { read, isShown: isOwn, oldest })
}

type Read = (session: Session, query: ActivityQuery) => Promise<ActivityPage>

const readPage: Read = ({ client, at }, query) => client.listActivities({ ...at, input: query })

/** Of what is live or finished, archived and expired, which are lists of their own: the newest, as far as each of them reaches. */
const readAll: Read = async (session, query) => {
  const kinds = [undefined, 'archived', 'expired'] as const
  const pages = await Promise.all(kinds.map((status) => readPage(session, { ...query, status })))
  const ends = pages
    .flatMap(({ items, next_cursor }) =>
      next_cursor === null ? [] : [{ id: items.at(-1)?.id ?? '', next_cursor }],
    )
    .sort(byNewest)
  const [first] = ends
  const items = pages.flatMap((page) => page.items).filter(({ id }) => first === undefined || id >= first.id)
  return { items: items.sort(byNewest), next_cursor: first?.next_cursor ?? null }
}

/** Ids are ordered by time. */
function byNewest(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? 1 : -1
}

/** The first page that has anything to show; nothing is to be shown that is older than `oldest`. */
async function firstPage(
  session: Session,
  query: ActivityQuery,
  { read, isShown, oldest = '' }: { read: Read; isShown(each: Activity): boolean; oldest?: string },
): Promise<ActivityPage> {
  for (let input = query; ; ) {
    const page = await read(session, input)
    const items = page.items.filter(isShown)
    const isOver = (page.items.at(-1)?.id ?? '') <= oldest
    const next_cursor = isOver ? null : page.next_cursor
    if (items.length > 0 || next_cursor === null) return { items, next_cursor }
    input = { ...input, cursor: next_cursor }
  }
}

/** The work, also where its collisions cannot be had. */
async function linesOf(session: Session, activities: readonly Activity[]): Promise<string[]> {
  const { look } = session
  try {
    const overlaps = await overlapsAmong(session, activities)
    if (overlaps === null) return activityLines(activities, new Map(), look)
    const collisions = await collisionsOf(session, activities, overlaps)
    return [...activityLines(activities, collisions, look), ...incompleteLines(overlaps)]
  } catch (error) {
    const why = plain((error as Error).message)
    return [...activityLines(activities, new Map(), look), `Collisions are not shown: ${why}`]
  }
}

function noneText({ at }: Session, { status, risk, actor, branch, mine, all }: ListOptions): string {
  const isFiltered = [status, risk, actor, branch, mine].some((each) => each !== undefined)
  if (isFiltered)
    return all || status ? 'No activity matches.' : 'No live activity matches; --all also shows what is over.'
  return `Nobody works on ${at.owner}/${at.repo}, as far as it is announced.`
}

export async function notes(world: World, options: ListOptions): Promise<ExitCode> {
  const session = await openSession(world, options)
  const { status, importance, category, area, limit, cursor } = options
  const input = { status, importance, category, area, limit, cursor } as unknown as NotableQuery
  const page = await session.client.listNotables({ ...session.at, input })
  session.show(page, () => [
    ...(page.items.length > 0 ? notableLines(page.items, session.look) : ['No notables apply here.']),
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
