/** Activities, notables and overlaps as people read them. */
import type { OutputOf } from '../../operations/contract.ts'
import { clip, type Paint, plain, relative, type Style, table } from './terminal.ts'

type Activity = OutputOf<'listActivities'>['items'][number]
type Notable = OutputOf<'listNotables'>['items'][number]
type Overlap = OutputOf<'checkOverlap'>
type Level = 'low' | 'medium' | 'high' | 'critical'

export interface Look {
  paint: Paint
  now: Date
}

const TITLE_MAX = 48
const EXAMPLES_MAX = 3

const STYLES: Record<Level, Style> = { low: 'dim', medium: 'yellow', high: 'red', critical: 'red' }

export function activityTable(activities: readonly Activity[], { paint, now }: Look): string[] {
  const rows = activities.map((each) => [
    { text: clip(plain(each.title), TITLE_MAX), style: 'bold' as const },
    { text: clip(plain(each.actor), 24) },
    { text: clip(plain(each.branch ?? '–'), 32), style: 'cyan' as const },
    { text: each.blocking ? `${each.status}, blocking` : each.status },
    { text: `${each.risk} risk`, style: STYLES[each.risk] },
    { text: clip(whereOf(each.scope, '–'), 40) },
    { text: relative(each.heartbeat_at ?? each.created_at, now), style: 'dim' as const },
    { text: each.id, style: 'dim' as const },
  ])
  return table(rows, paint)
}

export function notableTable(notables: readonly Notable[], { paint, now }: Look): string[] {
  const rows = notables.map((each) => [
    { text: clip(plain(each.title), TITLE_MAX), style: 'bold' as const },
    { text: each.importance, style: STYLES[each.importance] },
    { text: each.category },
    { text: clip(whereOf(each.scope, 'everywhere'), 40) },
    { text: `ends ${relative(each.expires_at, now)}`, style: 'dim' as const },
    { text: each.id, style: 'dim' as const },
  ])
  return table(rows, paint)
}

/** An activity without paths touches none; a notable without any holds everywhere. */
function whereOf({ areas, paths }: { areas: string[]; paths: string[] }, none: string): string {
  const all = [...areas.map((area) => `#${plain(area)}`), ...paths.map(plain)]
  if (all.length === 0) return none
  return all.length > 2 ? `${all.slice(0, 2).join(' ')} +${all.length - 2}` : all.join(' ')
}

/** Titles of what an overlap names, by id. */
export type Names = Map<string, string>

export function namesOf(activities: readonly Activity[], notables: readonly Notable[]): Names {
  return new Map([
    ...activities.map(({ id, title, actor, branch }): [string, string] => [
      id,
      `“${clip(plain(title), TITLE_MAX)}” by ${plain(actor)}${branch === null ? '' : ` on ${plain(branch)}`}`,
    ]),
    ...notables.map(({ id, title, category }): [string, string] => [
      id,
      `“${clip(plain(title), TITLE_MAX)}”, ${category}`,
    ]),
  ])
}

/** The whole result of a check: what, where, and what to do. */
export function overlapLines(overlap: Overlap, names: Names, { paint }: Look): string[] {
  const { activities, notables, complete } = overlap.checked_against
  const counted = `${count(activities, 'live activity', 'live activities')} and ${count(notables, 'active notable', 'active notables')}`
  const looked = `compared with ${counted}${complete ? '' : '; not with all of them'}`
  const reused = overlap.reuse_opportunities.map(
    (each) =>
      `  ${paint('green', 'reuse')}  “${clip(plain(each.title), TITLE_MAX)}”: ${plain(each.reason)}${each.url ? ` ${plain(each.url)}` : ''}`,
  )
  if (!overlap.overlap_detected)
    return [`${paint('green', 'Clear')}: no overlap ${paint('dim', `(${looked})`)}`, ...reused]
  const severity = overlap.severity ?? 'low'
  const more = overlap.total_related - overlap.matches.length
  return [
    `${paint(STYLES[severity], `Overlap, ${severity}`)} ${paint('dim', `(${looked})`)}`,
    ...overlap.matches.flatMap((match) => matchLines(match, names, paint)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...reused,
    `${paint('bold', '→')} ${plain(overlap.recommended_action)}`,
  ]
}

function matchLines(match: Overlap['matches'][number], names: Names, paint: Paint): string[] {
  const kind = match.id.startsWith('ntb_') ? 'notable' : 'collision'
  const head = `  ${paint(STYLES[match.severity], `${kind}, ${match.severity}`)}  ${names.get(match.id) ?? ''} ${paint('dim', match.id)}`
  const paths = match.paths
    .slice(0, EXAMPLES_MAX)
    .map(
      ({ yours, theirs, example }) =>
        `    ${plain(example)}${yours === theirs ? '' : paint('dim', `  yours ${plain(yours)}, theirs ${plain(theirs)}`)}`,
    )
  const areas = match.areas.length > 0 ? [`    areas ${match.areas.map(plain).join(', ')}`] : []
  const more = match.paths.length - EXAMPLES_MAX
  return [head, ...paths, ...(more > 0 ? [paint('dim', `    and ${more} more paths`)] : []), ...areas]
}

/** `1 notable`, `2 notables`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Every field of a record, one on a line; times also as people say them. */
export function recordLines(record: object, { paint, now }: Look): string[] {
  const rows = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [{ text: name, style: 'dim' as const }, { text: valueText(name, value, now) }])
  return table(rows, paint)
}

function valueText(name: string, value: unknown, now: Date): string {
  if (typeof value === 'string')
    return /_(at|until)$/.test(name) ? `${plain(value)} (${relative(value, now)})` : plain(value)
  if (name === 'overlap') return overlapText(value as { severity: string; related_activity_ids: string[] })
  if (name === 'scope') return whereAll(value as { areas: string[]; paths: string[] })
  return plain(JSON.stringify(value))
}

/** As a single record tells of it: by ids. */
function overlapText({
  severity,
  related_activity_ids: ids,
}: {
  severity: string | null
  related_activity_ids: string[]
}): string {
  return severity === null
    ? 'none'
    : [severity, ...(ids.length > 0 ? [`with ${ids.join(', ')}`] : [])].join(' ')
}

function whereAll({ areas, paths }: { areas: string[]; paths: string[] }): string {
  return [...areas.map((area) => `#${plain(area)}`), ...paths.map(plain)].join(' ') || '–'
}
