/** Everything that the view of a repository shows, computed from its records and the address. Pure. */

import { DAY_MS } from '../vocabulary/clock.ts'
import { isForOneOfBoth } from '../vocabulary/finding.ts'
import { CONSEQUENCES, type Consequence } from '../vocabulary/finding-kinds.ts'
import { matchesAlternative } from '../vocabulary/scope/alternative.ts'
import { NAMED_CONSEQUENCES, type NamedConsequence, type View } from './address.ts'
import { type Group, groupsOf } from './encounters.ts'
import { type HotFolder, hotFolders } from './hot-spots.ts'
import { chosenAt, type LiveWork, liveWork, touches } from './live-work.ts'
import type { Person } from './people.ts'
import type { Activity, List, Overlap, Overlaps } from './records.ts'

export interface RepositoryModel {
  now_ms: number
  work: LiveWork
  /** The part of it that matches the choice and is not hidden, with both sides of its overlaps. */
  seen: LiveWork
  people: Person[]
  /** The key of the reader; null if the login is unknown. */
  reader: string | null
  /** Overlaps of work by different people, then those of the reader's own work, as cards. */
  needs: Group[]
  own: Group[]
  /** How many overlaps have one other person on both sides, who needs nobody. */
  others_own: number
  /** How many overlaps `needs` and `own` hold of each consequence. If `is_exact` is false, there may be more. */
  counts: Record<Consequence, number>
  is_exact: boolean
  /** How many overlaps that match the choice have a side of this kind. */
  hideable: Record<Hideable, number>
  /** What matches the choice and is not shown, and the kinds of its work. */
  hidden: { pairs: number; activities: number; kinds: Hideable[] }
  /** How many pairs only change the same file, with their lines apart, and those of the newest activities. `among`: the only pairs that were searched. */
  same_file: Overlaps['same_file'] & { among: number | null }
  folders: HotFolder[]
  /** The activities that match the choice, those that were pushed or declared last first. */
  shown: Activity[]
  /** How many others may match a path or a text: the list names only some of their paths. */
  unsearched: number
  /** The chosen pull request has no live work here. */
  is_gone: boolean
}

interface Given {
  activities: List<Activity>
  overlaps: Overlaps | null
}

export function modelOf({ activities, overlaps }: Given, view: View, login: string | null): RepositoryModel {
  const work = liveWork(activities.items, overlaps?.items ?? [])
  const now_ms = activities.as_of_ms
  const reader = login?.toLowerCase() ?? null
  const choice: Choice = { ...view, reader }
  const of_pull: Choice = { ...choice, person: null, text: '', mine: false }
  const chosen = new Set(activities.items.filter((each) => matches(each, work, choice)).map(({ id }) => id))
  // Who asks for a pull request wants to see all of it.
  const kinds = view.pull_request === null ? HIDEABLE.filter((kind) => !view[kind]) : []
  const isOfKind = (kind: Hideable, id: string) => isOf(kind, work.activities.get(id) as Activity, now_ms)
  const isHidden = (id: string) => kinds.some((kind) => isOfKind(kind, id))
  const at = view.path === null ? null : chosenAt(view.path)
  const isThere = (id: string) => at === null || touches(work.activities.get(id), at)
  // An overlap is at a path if both sides are, or if it was found there.
  const matching = work.collisions.filter(
    ({ activity_ids, consequence, paths }) =>
      activity_ids.some((id) => chosen.has(id)) &&
      (view.only === null || consequence === view.only) &&
      (activity_ids.every(isThere) || paths.some(({ example }) => at && matchesAlternative(at, example))),
  )
  const overlaps_seen = matching.filter(({ activity_ids }) => !activity_ids.some(isHidden))
  const whose = (overlap: Overlap) => whoseOf(overlap, work, reader)
  const of = (name: ReturnType<typeof whose>) => overlaps_seen.filter((overlap) => whose(overlap) === name)
  const [needs, own] = [of('somebody'), of('reader')]
  const counts = Object.fromEntries(CONSEQUENCES.map((name) => [name, 0])) as Record<Consequence, number>
  for (const { consequence } of [...needs, ...own]) counts[consequence] += 1
  const met = new Set(overlaps_seen.flatMap(({ activity_ids }) => activity_ids))
  const listed = activities.items.filter(({ id }) => chosen.has(id) && (isThere(id) || met.has(id)))
  const shown = listed
    .filter(({ id }) => !isHidden(id))
    .sort((a, b) => Date.parse(lastMoved(b)) - Date.parse(lastMoved(a)))
  for (const { id } of shown) met.add(id)
  const isCut = (each: Activity) =>
    !met.has(each.id) && each.scope.path_count !== undefined && matches(each, work, { ...choice, text: '' })
  const seen = {
    activities: new Map([...work.activities].filter(([id]) => met.has(id))),
    people: work.people,
    collisions: overlaps_seen,
  }
  const countOf = (kind: Hideable) =>
    matching.filter(({ activity_ids }) => activity_ids.some((id) => isOfKind(kind, id))).length
  return {
    ...{ now_ms, work, seen, reader, shown },
    people: [...new Map([...work.people.values()].map((person) => [person.key, person])).values()].sort(
      (a, b) => a.name.localeCompare(b.name),
    ),
    needs: groupsOf(needs, work, reader),
    own: groupsOf(own, work, reader),
    others_own: overlaps_seen.length - needs.length - own.length,
    counts,
    is_exact: overlaps === null || overlaps.checked_against.complete,
    hideable: { idle: countOf('idle'), bots: countOf('bots'), drafts: countOf('drafts') },
    hidden: {
      pairs: matching.length - overlaps_seen.length,
      activities: listed.length - shown.length,
      kinds: kinds.filter((kind) => countOf(kind) > 0 || listed.some(({ id }) => isOfKind(kind, id))),
    },
    same_file: sameFile(
      overlaps,
      chosen.size === activities.items.length && at === null,
      (ids) => ids.some((id) => chosen.has(id)) && ids.every(isThere),
    ),
    folders: hotFolders(seen),
    unsearched: at === null && view.text === '' ? 0 : activities.items.filter(isCut).length,
    is_gone: view.pull_request !== null && !activities.items.some((each) => matches(each, work, of_pull)),
  }
}

/** Who has to act on an overlap. `one`: both sides are by one other person, who need not be told of a conflict. */
function whoseOf(
  { activity_ids, findings }: Overlap,
  { people }: LiveWork,
  reader: string | null,
): 'somebody' | 'reader' | 'one' {
  const [one, other] = activity_ids.map((id) => people.get(id)?.key)
  if (one !== other) return 'somebody'
  if (one === reader) return 'reader'
  return isForOneOfBoth(findings) ? 'somebody' : 'one'
}

function sameFile(
  overlaps: Overlaps | null,
  isAll: boolean,
  isChosen: (ids: readonly string[]) => boolean,
): RepositoryModel['same_file'] {
  const { total, pairs } = overlaps?.same_file ?? { total: 0, pairs: [] }
  if (isAll) return { total, pairs, among: null }
  const found = pairs.filter(isChosen)
  return { total: found.length, pairs: found, among: total > pairs.length ? pairs.length : null }
}

/** `54 pairs will conflict, 6 do the same work.`; `is_exact` is false if there may be more, `is_all` if some work is not shown. */
export function headline(
  counts: Partial<RepositoryModel['counts']>,
  { is_exact, is_all = true }: { is_exact: boolean; is_all?: boolean },
): string {
  const found = NAMED_CONSEQUENCES.filter((name) => counts[name])
  const parts = found.map((name, at) => {
    const [one, many] = PREDICATES[name]
    const noun = at > 0 ? '' : counts[name] === 1 ? ' pair' : ' pairs'
    return `${counts[name]}${noun} ${counts[name] === 1 ? one : many}`
  })
  if (parts.length === 0 && !is_exact) return 'No pair is known to need anybody.'
  if (parts.length === 0) return `No pair ${is_all ? '' : 'that is shown '}needs anybody.`
  return `${is_exact ? '' : 'At least '}${parts.join(', ')}.`
}

const PREDICATES: Record<NamedConsequence, [one: string, many: string]> = {
  conflict: ['will conflict', 'will conflict'],
  same_work: ['does the same work', 'do the same work'],
  same_number: ['shares a number', 'share a number'],
  possible: ['may overlap', 'may overlap'],
}

export interface Choice extends Pick<View, 'person' | 'path' | 'text' | 'mine' | 'pull_request'> {
  /** The key of the reader; null if unknown. */
  reader: string | null
}

/** Whether an activity passes the choice, apart from its path. */
export function matches(activity: Activity, work: LiveWork, choice: Choice): boolean {
  const { person, text, mine, reader, pull_request } = choice
  const needle = text.trim().toLowerCase()
  const key = work.people.get(activity.id)?.key
  return (
    (person === null || key === person) &&
    (!mine || key === reader) &&
    (pull_request === null || activity.pr_url?.endsWith(`/pull/${pull_request}`) === true) &&
    (needle === '' || searchTextOf(activity).includes(needle))
  )
}

function searchTextOf({ title, actor, agent, branch, pr_url, scope }: Activity): string {
  const changes = scope.changes.map(({ path }) => path)
  return [title, actor, agent, branch, pr_url, ...scope.areas, ...scope.paths, ...changes]
    .join('\n')
    .toLowerCase()
}

/** Kinds of work that can be hidden. */
export const HIDEABLE = ['idle', 'bots', 'drafts'] as const
export type Hideable = (typeof HIDEABLE)[number]

const IDLE_AFTER_DAYS = 14

/** When a pull request was pushed last, by GitHub, or other work declared. */
export function lastMoved({ pushed_at, created_at }: Activity): string {
  return pushed_at ?? created_at
}

export function isOf(kind: Hideable, activity: Activity, now_ms: number): boolean {
  if (kind === 'bots') return activity.is_bot === true
  if (kind === 'drafts') return activity.draft_pr
  return now_ms - Date.parse(activity.pushed_at ?? activity.updated_at) > IDLE_AFTER_DAYS * DAY_MS
}
