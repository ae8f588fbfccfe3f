/** The commands that only read: `deconflict list`, `show`, `notes`, `order` and `why`. */
import type { RequestOf } from '../client/client.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import { cursorAt, newestFirst } from '../vocabulary/lists.ts'
import { isNotableId, pullRequestName } from '../vocabulary/names.ts'
import { HIDDEN_BECAUSE } from '../vocabulary/shown.ts'
import { sanitize } from '../vocabulary/text.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { type CommandContext, type CommonOptions, openContext } from './command-context.ts'
import { nameCollisions, readNamed } from './named-collisions.ts'
import { incompleteLines } from './overlap-text.ts'
import { activityLines, notableLines, recordLines } from './record-text.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { type Display, LEVEL_STYLES, table, wrap } from './terminal.ts'
import { ownIdIn } from './tree-work.ts'

export interface ListOptions extends CommonOptions {
  status?: string
  risk?: string
  actor?: string
  /** Only activities of the current branch; on the base branch those created in this working tree. */
  mine?: boolean
  /** Includes finished, archived and expired activities. */
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

export async function list(runtime: Runtime, options: ListOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const page = await readActivities(context, options)
  const lines = options.json ? [] : await linesFor(context, page.items, options)
  context.show(page, () => [
    ...(page.items.length > 0 ? [] : [emptyText(context, options)]),
    ...lines,
    ...nextPageLines(page.next_cursor),
  ])
  return EXIT.clear
}

async function readActivities(context: CommandContext, options: ListOptions): Promise<ActivityPage> {
  const { status, risk, actor, limit, cursor, mine, all = false } = options
  const { own_branch } = context.workspace
  const branch = mine ? (own_branch ?? undefined) : options.branch
  // The activity of the base branch has no branch to filter by.
  const own_id = mine && own_branch === null ? ownIdIn(context.workspace) : undefined
  if (own_id === null) return { items: [], next_cursor: null }
  const page_max = limit ?? (own_id && '100')
  // The service validates the values.
  const query = { status, risk, actor, limit: page_max, cursor, branch } as unknown as ActivityQuery
  const read = all && status === undefined ? readAllStatuses : readPage
  const isListed = ({ id, status: is }: Activity) =>
    (own_id ?? id) === id && (all || status !== undefined || isLive(is))
  return firstNonEmptyPage(context, query, { read, isListed })
}

type Read = (context: CommandContext, query: ActivityQuery) => Promise<ActivityPage>

const readPage: Read = ({ client, at }, query) => client.listActivities({ ...at, input: query })

/**
 * The service lists archived and expired activities separately. Merges one page of each list, down to the newest id at which
 * a page ends, and at most as many as were asked for; the next page continues there.
 */
const readAllStatuses: Read = async (context, query) => {
  const lists = [undefined, 'archived', 'expired'] as const
  const pages = await Promise.all(lists.map((status) => readPage(context, { ...query, status })))
  const ends = pages.flatMap(({ items, next_cursor }) => (next_cursor === null ? [] : (items.at(-1) ?? [])))
  const [end] = ends.sort(newestFirst)
  const all = pages.flatMap(({ items }) => items).sort(newestFirst)
  const known = all.filter(({ id }) => end === undefined || id >= end.id)
  const items = known.slice(0, Number(query.limit ?? known.length))
  const last = items.length < known.length ? items.at(-1) : end
  return { items, next_cursor: last ? cursorAt(last.id) : null }
}

async function firstNonEmptyPage(
  context: CommandContext,
  query: ActivityQuery,
  { read, isListed }: { read: Read; isListed(each: Activity): boolean },
): Promise<ActivityPage> {
  for (let input = query; ; ) {
    const page = await read(context, input)
    const items = page.items.filter(isListed)
    const { next_cursor } = page
    if (items.length > 0 || next_cursor === null) return { items, next_cursor }
    input = { ...input, cursor: next_cursor }
  }
}

/** The lines of the list; without collisions if these cannot be read. */
async function linesFor(
  context: CommandContext,
  activities: readonly Activity[],
  options: ListOptions,
): Promise<string[]> {
  const { display } = context
  try {
    // An empty list of all work says as well what is missing from it.
    const isAsked = activities.length > 0 || isFiltered(options)
    if (isAsked && !activities.some(({ status }) => isLive(status)))
      return activityLines(activities, new Map(), display)
    const overlaps = await context.client.listOverlaps(context.at)
    const collisions = await nameCollisions(context, activities, overlaps)
    return [...activityLines(activities, collisions, display), ...incompleteLines(overlaps)]
  } catch (error) {
    const why = sanitize((error as Error).message)
    return [...activityLines(activities, new Map(), display), `Collisions are not available: ${why}`]
  }
}

function isFiltered({ status, risk, actor, branch, mine }: ListOptions): boolean {
  return [status, risk, actor, branch, mine].some((each) => each !== undefined)
}

function emptyText({ at }: CommandContext, options: ListOptions): string {
  const { all, status } = options
  if (!isFiltered(options)) return `No ${all ? '' : 'live '}activities in ${at.owner}/${at.repo}.`
  return all || status
    ? 'No activity matches.'
    : 'No live activity matches; use --all to include finished, archived and expired ones.'
}

export async function notes(runtime: Runtime, options: ListOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const { status, importance, category, area, limit, cursor } = options
  const input = { status, importance, category, area, limit, cursor } as unknown as NotableQuery
  const page = await context.client.listNotables({ ...context.at, input })
  context.show(page, () => [
    ...(page.items.length > 0 ? notableLines(page.items, context.display) : ['No notables.']),
    ...nextPageLines(page.next_cursor),
  ])
  return EXIT.clear
}

function nextPageLines(next_cursor: string | null): string[] {
  return next_cursor === null ? [] : [`More results: --cursor ${next_cursor}`]
}

export async function show(runtime: Runtime, id: string, options: CommonOptions): Promise<ExitCode> {
  if (!/^(act|ntb)_/.test(id)) throw new CliError(`an id starts with act_ or ntb_, but this is ${id}`)
  const { client, at, display, show: write } = await openContext(runtime, options)
  const request = { ...at, id }
  const record = isNotableId(id) ? await client.getNotable(request) : await client.getActivity(request)
  write(record, () => recordLines(record, display))
  return EXIT.clear
}

/** In which order to merge the open pull requests that conflict with each other. */
export async function order(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const found = await context.client.getMergeOrder(context.at)
  const ids = [...found.items.map(({ activity_id }) => activity_id), ...found.clear]
  const activities = options.json ? new Map() : await readNamed(context, [], ids)
  context.show(found, () => orderLines(found, activities, context.display))
  return EXIT.clear
}

function orderLines(
  found: OutputOf<'getMergeOrder'>,
  activities: Awaited<ReturnType<typeof readNamed>>,
  { paint, width }: Display,
): string[] {
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

type Pair = OutputOf<'explainPullRequest'>['pairs'][number]

/** What a comment shows of a pull request, and why not. */
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
