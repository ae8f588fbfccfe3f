/** Activities and notables as people read them. */
import type { OutputOf } from '../../operations/contract.ts'
import type { Collisions } from './collisions.ts'
import { clip, table } from './columns.ts'
import { collisionLines, namedText } from './overlap-text.ts'
import { LEVEL_STYLES, type Look, plain, relative } from './terminal.ts'

type Activity = OutputOf<'listActivities'>['items'][number]
type Notable = OutputOf<'listNotables'>['items'][number]
/** Who does what where; below each one its id, its scope, and what it collides with. */
export function activityLines(activities: readonly Activity[], collisions: Collisions, look: Look): string[] {
  const heads = table(
    activities.map((each) => [
      { text: plain(each.title), style: 'bold' },
      { text: whoOf(each) },
      { text: plain(each.branch ?? '–'), style: 'cyan' },
      { text: each.status },
      { text: relative(each.heartbeat_at ?? each.created_at, look.now), style: 'dim' },
    ]),
    look,
  )
  return activities.flatMap((each, at) => [
    heads[at] as string,
    detailLine(each.id, [warningOf(each), whereOf(each.scope, 'no files named')], look),
    ...collisionLines(collisions.get(each.id) ?? [], look),
  ])
}

export function notableLines(notables: readonly Notable[], look: Look): string[] {
  const heads = table(
    notables.map((each) => [
      { text: plain(each.title), style: 'bold' },
      { text: each.importance, style: LEVEL_STYLES[each.importance] },
      { text: each.category },
      { text: endOf(each, look.now), style: 'dim' },
    ]),
    look,
  )
  return notables.flatMap((each, at) => [
    heads[at] as string,
    detailLine(each.id, [each.blocking ? 'blocking' : '', whereOf(each.scope, 'everywhere')], look),
  ])
}

function endOf({ status, expires_at }: Notable, now: Date): string {
  return status === 'active' ? `ends ${relative(expires_at, now)}` : status
}

function detailLine(id: string, parts: string[], { paint, width }: Look): string {
  return paint('dim', clip(`  ${[id, ...parts].filter(Boolean).join('  ')}`, width))
}

function whoOf({ actor, agent }: Activity): string {
  return agent === null ? plain(actor) : `${plain(actor)} (${plain(agent)})`
}

/** What others are to mind; nothing about the usual low risk. */
function warningOf({ risk, blocking }: Activity): string {
  return [risk === 'low' ? '' : `${risk} risk`, blocking ? 'blocking' : ''].filter(Boolean).join(', ')
}

/** An activity without paths touches none; a notable without any holds everywhere. */
function whereOf({ areas, paths }: { areas: string[]; paths: string[] }, none: string): string {
  const all = [...areas.map((area) => `#${plain(area)}`), ...paths.map(plain)]
  if (all.length === 0) return none
  return all.length > 2 ? `${all.slice(0, 2).join(' ')} +${all.length - 2}` : all.join(' ')
}

/** Every field of a record, one on a line; times also as people say them. Nothing is cut. */
export function recordLines(record: object, { paint, now }: Look): string[] {
  const rows = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [{ text: name, style: 'dim' as const }, { text: valueText(name, value, now) }])
  return table(rows, { paint, width: Number.POSITIVE_INFINITY })
}

function valueText(name: string, value: unknown, now: Date): string {
  if (typeof value === 'string')
    return /_(at|until)$/.test(name) ? `${plain(value)} (${relative(value, now)})` : plain(value)
  if (name === 'overlap') return overlapText(value as NonNullable<OutputOf<'getActivity'>['overlap']>)
  if (name === 'scope') return whereAll(value as { areas: string[]; paths: string[] })
  return plain(JSON.stringify(value))
}

function overlapText({ severity, matches }: NonNullable<OutputOf<'getActivity'>['overlap']>): string {
  return severity === null ? 'none' : `${severity}: ${matches.map(namedText).join('; ')}`
}

function whereAll({ areas, paths }: { areas: string[]; paths: string[] }): string {
  return [...areas.map((area) => `#${plain(area)}`), ...paths.map(plain)].join(' ') || '–'
}
