/** Activities and notables as text for people. */

import type { ListedActivity as Activity } from '../vocabulary/contract/activity.ts'
import type { NotableBrief as Notable } from '../vocabulary/contract/notable.ts'
import type { OverlapBrief } from '../vocabulary/contract/overlap.ts'
import { sanitize } from '../vocabulary/text.ts'
import type { CollisionsById } from './named-collisions.ts'
import { collisionLines, matchText } from './overlap-text.ts'
import { type Display, LEVEL_STYLES, relativeTime, table, truncate } from './terminal.ts'

/** A row for each activity; below it its id, warnings, scope and collisions. */
export function activityLines(
  activities: readonly Activity[],
  collisions: CollisionsById,
  display: Display,
): string[] {
  const rows = table(
    activities.map((each) => [
      { text: sanitize(each.title), style: 'bold' },
      { text: sanitize(each.agent === null ? each.actor : `${each.actor} (${each.agent})`) },
      { text: sanitize(each.branch ?? '–'), style: 'cyan' },
      { text: each.status, is_whole: true },
      { text: relativeTime(each.heartbeat_at ?? each.created_at, display.now), style: 'dim' },
    ]),
    display,
  )
  return activities.flatMap((each, index) => [
    rows[index] as string,
    detailLine(
      each.id,
      [
        [each.risk !== 'low' && `${each.risk} risk`, each.blocking && 'blocking'].filter(Boolean).join(', '),
        scopeText(each.scope, 'no paths'),
      ],
      display,
    ),
    ...collisionLines(collisions.get(each.id) ?? [], display),
  ])
}

export function notableLines(notables: readonly Notable[], display: Display): string[] {
  const rows = table(
    notables.map((each) => [
      { text: sanitize(each.title), style: 'bold' },
      { text: each.importance, style: LEVEL_STYLES[each.importance] },
      { text: each.category },
      {
        text:
          each.status === 'active' ? `expires ${relativeTime(each.expires_at, display.now)}` : each.status,
        style: 'dim',
      },
    ]),
    display,
  )
  return notables.flatMap((each, index) => [
    rows[index] as string,
    detailLine(each.id, [each.blocking ? 'blocking' : '', scopeText(each.scope, 'everywhere')], display),
  ])
}

function detailLine(id: string, parts: string[], { paint, width }: Display): string {
  return paint('dim', truncate(`  ${[id, ...parts].filter(Boolean).join('  ')}`, width))
}

const SCOPE_SHOWN_MAX = 2

type ShownScope = Notable['scope'] & Partial<Pick<Activity['scope'], 'changes' | 'path_count'>>

/** The first areas, paths and changed files, or `empty` for an empty scope. */
function scopeText(scope: ShownScope, empty: string): string {
  const all = scopeParts(scope)
  if (all.length === 0) return empty
  const more = (scope.path_count ? scope.path_count + scope.areas.length : all.length) - SCOPE_SHOWN_MAX
  return `${all.slice(0, SCOPE_SHOWN_MAX).join(' ')}${more > 0 ? ` +${more}` : ''}`
}

function scopeParts({ areas, paths, changes = [] }: ShownScope): string[] {
  const files = new Set([...paths, ...changes.map(({ path }) => path)])
  return [...areas.map((area) => `#${sanitize(area)}`), ...[...files].map(sanitize)]
}

/** Every field of a record that is not null, one per line and without truncation. */
export function recordLines(record: object, { paint, now }: Display): string[] {
  const rows = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [{ text: name, style: 'dim' as const }, { text: valueText(name, value, now) }])
  return table(rows, { paint, width: Number.POSITIVE_INFINITY })
}

function valueText(name: string, value: unknown, now: Date): string {
  if (typeof value === 'string')
    return /_(at|until)$/.test(name) ? `${sanitize(value)} (${relativeTime(value, now)})` : sanitize(value)
  if (name === 'overlap') return overlapText(value as OverlapBrief)
  if (name === 'scope') return scopeParts(value as Activity['scope']).join(' ') || '–'
  return sanitize(JSON.stringify(value))
}

function overlapText({ severity, matches }: OverlapBrief): string {
  if (severity === null) return 'none'
  return [severity, matches.map(matchText).join('; ')].filter(Boolean).join(': ')
}
