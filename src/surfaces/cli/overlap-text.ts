/** What overlaps, as people read it. */
import type { OutputOf } from '../../operations/contract.ts'
import { type Collision, type Overlaps, SHOWN_MAX } from './collisions.ts'
import { clip, table } from './columns.ts'
import { LEVEL_STYLES, type Look, type Paint, plain } from './terminal.ts'

type Activity = OutputOf<'listActivities'>['items'][number]
type Notable = OutputOf<'listNotables'>['items'][number]
type Overlap = OutputOf<'checkOverlap'>
type OverlapNow = NonNullable<OutputOf<'heartbeatActivity'>['overlap']>

const TITLE_MAX = 48
const EXAMPLES_MAX = 3

/** Titles of what an overlap names, by id. */
export type Names = Map<string, string>

export function namesIn(activities: readonly Activity[], notables: readonly Notable[]): Names {
  return new Map([
    ...activities.map((each): [string, string] => [each.id, workText(each)]),
    ...notables.map(({ id, title, category }): [string, string] => [id, `${quoted(title)}, ${category}`]),
  ])
}

function quoted(title: string): string {
  return `“${clip(plain(title), TITLE_MAX)}”`
}

function workText({ title, actor, branch }: Pick<Activity, 'title' | 'actor' | 'branch'>): string {
  return `${quoted(title)} by ${plain(actor)}${branch === null ? '' : ` on ${plain(branch)}`}`
}

/** The whole result of a check: what, where, and what to do. */
export function overlapLines(overlap: Overlap, names: Names, { paint }: Look): string[] {
  const { activities, notables, complete } = overlap.checked_against
  const counted = `${count(activities, 'live activity', 'live activities')} and ${count(notables, 'active notable', 'active notables')}`
  const looked = paint('dim', `(compared with ${counted}${complete ? '' : '; not with all of them'})`)
  const reused = overlap.reuse_opportunities.map(
    (each) =>
      `  ${paint('green', 'reuse')}  ${quoted(each.title)}: ${plain(each.reason)}${each.url ? ` ${plain(each.url)}` : ''}`,
  )
  // That nothing was found is not to look like that nothing was compared.
  if (!overlap.overlap_detected && !complete && activities === 0)
    return [`${paint('yellow', 'Not compared')}: ${plain(overlap.reason)}`]
  if (!overlap.overlap_detected)
    return [
      `${complete ? `${paint('green', 'Clear')}: no overlap` : `${paint('yellow', 'Unclear')}: no overlap so far`} ${looked}`,
      ...reused,
    ]
  const more = overlap.total_related - overlap.matches.length
  return [
    `${severityText(overlap, paint)} ${looked}`,
    ...overlap.matches.flatMap((match) => matchLines(match, names, paint)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...reused,
    `${paint('bold', '→')} ${plain(overlap.recommended_action)}`,
  ]
}

function severityText({ severity }: Pick<Overlap, 'severity'>, paint: Paint): string {
  return paint(LEVEL_STYLES[severity ?? 'low'], `Overlap, ${severity ?? 'low'}`)
}

function kindText(
  { id, severity }: Pick<Overlap['matches'][number], 'id' | 'severity'>,
  paint: Paint,
): string {
  return paint(LEVEL_STYLES[severity], `${isNotable(id) ? 'notable' : 'collision'}, ${severity}`)
}

function isNotable(id: string): boolean {
  return id.startsWith('ntb_')
}

function matchLines(match: Overlap['matches'][number], names: Names, paint: Paint): string[] {
  const head = `  ${kindText(match, paint)}  ${names.get(match.id) ?? ''} ${paint('dim', match.id)}`
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

/** The overlap of an announced activity by name; nothing where there is none. */
export function overlapNowLines(overlap: OverlapNow | null, { paint }: Look): string[] {
  if (!overlap?.overlap_detected) return []
  const { matches, related_activity_ids } = overlap
  const more = related_activity_ids.length - matches.filter(({ id }) => !isNotable(id)).length
  return [
    severityText(overlap, paint),
    ...matches.flatMap((match) => [
      `  ${kindText(match, paint)}  ${nameText(match)}`,
      ...(match.example === null ? [] : [`    ${plain(match.example)}`]),
    ]),
    ...(more > 0 ? [otherActivities(more, matches.length)] : []),
    `${paint('bold', '→')} deconflict check says what to do`,
  ]
}

/** An older service names no matches. */
function otherActivities(number: number, named: number): string {
  return named > 0
    ? `  and ${count(number, 'more activity', 'more activities')}`
    : `  with ${count(number, 'activity', 'activities')}`
}

/** A match on one line, in one sentence with others. */
export function namedText(match: OverlapNow['matches'][number]): string {
  return `${nameText(match)}${match.example === null ? '' : ` (${plain(match.example)})`}`
}

function nameText({ id, title, actor, branch, pr_url }: OverlapNow['matches'][number]): string {
  if (isNotable(id) || actor === null) return quoted(title)
  return `${workText({ title, actor, branch })}${pr_url === null ? '' : ` ${plain(pr_url)}`}`
}

/** What one activity collides with, indented below it. */
export function collisionLines(collisions: readonly Collision[], { paint, width }: Look): string[] {
  const rows = collisions
    .slice(0, SHOWN_MAX)
    .map(({ severity, other, where }) => [
      { text: `collision, ${severity}`, style: LEVEL_STYLES[severity] },
      { text: other ? plain(other.title) : 'another activity' },
      { text: other ? `by ${plain(other.actor)}` : '' },
      { text: plain(where) },
    ])
  const more = collisions.length - rows.length
  return [
    ...table(rows, { paint, width: width - INDENT.length }),
    ...(more > 0 ? [paint('dim', `and ${count(more, 'more collision', 'more collisions')}`)] : []),
  ].map((line) => `${INDENT}${line}`)
}

const INDENT = '  '

/** That there may be more collisions than are listed. */
export function incompleteLines({ checked_against }: Overlaps): string[] {
  return checked_against.complete ? [] : ['Not everything was compared, so there may be more collisions.']
}

/** `1 notable`, `2 notables`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
