/** The collisions of one person's work: with whom, on which lines, who is ahead, and what to do; and those that are one card. Pure. */
import { adviceOf, adviceSentence, isAhead, stageOf } from '../vocabulary/advice.ts'
import { pathIn } from '../vocabulary/file-number.ts'
import { evidenceOf, isForOneOfBoth, isSameWork, saidIn, takenIn } from '../vocabulary/finding.ts'
import { isLoopback } from '../vocabulary/network.ts'
import { uncapitalized } from '../vocabulary/text.ts'
import type { LineRange } from '../vocabulary/verdict.ts'
import { areasText, linesText } from '../vocabulary/verdict-words.ts'
import { type LiveWork, nameOf } from './live-work.ts'
import type { Activity, Overlap } from './records.ts'

/** A collision as one of its sides sees it. */
export interface Encounter extends Pick<Overlap, 'severity' | 'consequence' | 'findings'> {
  mine: Activity
  other: Activity
  places: Place[]
  /** How it is known that both do the same, or what both take; empty for a conflict. */
  relation: string
  /** Whether the own side is closer to its merge. */
  is_ahead: boolean
  /** Whether the own side is the reader's work. */
  is_readers: boolean
  /** Both sides are the work of people, and not of one. */
  is_talk: boolean
  /** A sentence. */
  advice: string
}

export interface Place {
  path: string
  /** The lines of each side, counted on its own base; null if unknown. */
  mine: LineRange | null
  theirs: LineRange | null
}

/** A collision as its first side sees it: that of the reader, else `hub`, else the one that is behind. Null if a side is not known. */
export function encounterOf(
  collision: Overlap,
  work: LiveWork,
  { reader, hub = null }: { reader: string | null; hub?: string | null },
): Encounter | null {
  const [one, two] = collision.activity_ids.map((id) => work.activities.get(id))
  if (!one || !two) return null
  const keyOf = ({ id }: Activity) => work.people.get(id)?.key
  const own = [one, two].findIndex((side) => reader !== null && keyOf(side) === reader)
  const first = own >= 0 ? own : collision.activity_ids.indexOf(hub ?? '')
  const isTwoFirst = first >= 0 ? first === 1 : isAhead(standingOf(one), standingOf(two))
  const [mine, other] = isTwoFirst ? [two, one] : [one, two]
  const is_own = keyOf(mine) === keyOf(other)
  const sides = { mine, other, is_ahead: isAhead(standingOf(mine), standingOf(other)), is_readers: own >= 0 }
  return {
    ...sides,
    ...collision,
    places: placesOf(mine, collision),
    relation: relationOf(collision),
    is_talk: !is_own && !mine.is_bot && !other.is_bot,
    advice: adviceTo({ ...sides, is_own }, collision),
  }
}

const NO_LINES = { mine: null, theirs: null }

const asIs = (text: string) => text

function relationOf({ findings }: Overlap): string {
  const [said] = saidIn(findings)
  const taken =
    said && `${said.words.place(said.finding, asIs)}${said.words.hint?.(said.finding, asIs) ?? ''}`
  return evidenceOf(findings, asIs)?.join(', ') ?? taken ?? ''
}

function placesOf({ id }: Activity, { activity_ids, paths, areas, findings }: Overlap): Place[] {
  const isFirst = activity_ids[0] === id
  const taken = takenIn(findings).map(({ directory, yours, theirs }): Place => {
    const name = isFirst ? yours : theirs
    return { path: pathIn(directory, name), ...NO_LINES }
  })
  // If some lines conflict, only those matter.
  const conflicts = paths.filter(({ verdict }) => verdict === 'conflict')
  const places = (conflicts.length > 0 ? conflicts : paths).map(({ example, line_ranges }): Place => {
    const [one = null, two = null] = line_ranges ?? []
    const [mine, theirs] = isFirst ? [one, two] : [two, one]
    return { path: example, mine, theirs }
  })
  if (taken.length + places.length > 0) return [...taken, ...places]
  return areas.map((area) => ({ path: areasText([area], asIs), ...NO_LINES }))
}

function standingOf({ pr_url, draft_pr, created_at, opened_at = created_at }: Activity) {
  const stage = stageOf({ pr_url, draft_pr })
  const number = pr_url === null ? null : Number(/\d+$/.exec(pr_url)?.[0])
  return { stage, since: new Date(opened_at), number }
}

type Sides = Pick<Encounter, 'mine' | 'other' | 'is_ahead' | 'is_readers'> & { is_own: boolean }

/** Addressed to the person of `mine`, by name unless that is the reader; to that of `other` if `mine` is a bot's. */
function adviceTo(sides: Sides, collision: Overlap): string {
  const { mine, other, is_ahead, is_readers, is_own } = sides
  if (mine.is_bot && !other.is_bot)
    return adviceTo({ ...sides, mine: other, other: mine, is_ahead: !is_ahead }, collision)
  const theirs = nameOf(other)
  const isOwn = is_own || mine.is_bot === true
  const advice =
    other.is_bot && !isOwn
      ? adviceOf(collision, { whose: 'bot', person: null, theirs, is_theirs_first: !is_ahead })
      : adviceOf(collision, {
          ...{ whose: isOwn ? 'own' : 'other', person: other.actor, is_ahead, may_merge: true },
          own: { name: nameOf(mine), stage: standingOf(mine).stage },
          other: { name: theirs, stage: standingOf(other).stage },
        })
  if (isOwn) {
    const whose = is_readers ? 'your own work' : is_own ? `the work of ${mine.actor}` : 'by bots'
    return adviceSentence({ ...advice, order: `Both are ${whose}` })
  }
  if (is_readers) return adviceSentence(advice)
  const addressed = `${mine.actor}: ${uncapitalized(advice.action)}`
  return advice.order === '' ? addressed : `${advice.order}. ${addressed}`
}

/** A message to paste into a chat: from the reader to the other side, or from anyone to both. `address`: of this page. */
export function messageFor(encounter: Encounter, address: string): string {
  const { mine, other, is_readers } = encounter
  // Nobody else can open an address of this machine.
  const link = isLoopback(new URL(address).hostname) ? '' : ` ${address}`
  const [place] = encounter.places
  const [own, theirs] = [mine, other].map((each) => `“${each.title}” (${each.pr_url ?? nameOf(each)})`)
  const lines = place ? linesText(place.mine, place.theirs) : ''
  const where = place ? ` in ${place.path}${lines && ` (${lines})`}` : ''
  const both = is_readers
    ? `Hi ${other.actor}, my ${own} and your ${theirs}`
    : `Hi ${mine.actor} and ${other.actor}, ${own} and ${theirs}`
  return `${both} overlap${where}. ${questionOf(encounter)}${link}`
}

function questionOf({ mine, other, is_ahead, is_readers, findings }: Encounter): string {
  const which = isSameWork(findings) ? 'which of the two to close' : 'which of the two gives way'
  if (isForOneOfBoth(findings)) return `${is_readers ? 'Shall we' : 'Could you'} agree on ${which}?`
  const [leader, follower] = (is_ahead ? [mine, other] : [other, mine]).map(nameOf)
  if (!is_readers) return `${leader} is closer to its merge: could you agree who rebases ${follower}?`
  const [whose, ask] = is_ahead ? ['Mine', 'could you'] : ['Yours', 'shall I']
  return `${whose} is closer to its merge: ${ask} rebase after it, or shall we split the work?`
}

export interface Group {
  key: string
  /** The activity that all overlaps have in common; null in a group of one file. */
  hub: string | null
  /** The file at which all overlaps are; null in a group of one activity, and for a single overlap. */
  path: string | null
  overlaps: readonly Overlap[]
}

/** Two overlaps at one file have three sides, so they also have one activity in common. */
const FILE_MIN = 3

/**
 * The largest group is taken out first, then the largest of the rest. `reader`: the key of the reader, whose groups come first. The
 * others stay in the order of their first overlap, the most severe first.
 */
export function groupsOf(overlaps: readonly Overlap[], work: LiveWork, reader: string | null): Group[] {
  const members = new Map<string, Set<Overlap>>()
  for (const overlap of overlaps)
    for (const key of keysOf(overlap)) members.set(key, (members.get(key) ?? new Set()).add(overlap))
  const isReaders = (id: string) => reader !== null && work.people.get(id)?.key === reader
  const order = new Map(overlaps.map((overlap, at) => [overlap, at]))
  const groups: Group[] = []
  for (let left = overlaps.length; left > 0; ) {
    const [key, taken] = largest(members, isReaders)
    for (const overlap of taken)
      for (const each of keysOf(overlap)) if (each !== key) members.get(each)?.delete(overlap)
    members.delete(key)
    left -= taken.size
    const isFile = key.startsWith('file ')
    const sorted = [...taken].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    groups.push({ key, overlaps: sorted, hub: isFile ? null : key, path: isFile ? key.slice(5) : null })
  }
  const rank = ({ overlaps: [first] }: Group) =>
    (first?.activity_ids.some(isReaders) ? 0 : overlaps.length) + (first ? (order.get(first) ?? 0) : 0)
  return groups.sort((a, b) => rank(a) - rank(b))
}

function keysOf({ activity_ids, paths }: Overlap): string[] {
  const [place] = paths
  return [...activity_ids, ...(place && paths.length === 1 ? [`file ${place.example}`] : [])]
}

function largest(
  members: Map<string, Set<Overlap>>,
  isReaders: (id: string) => boolean,
): [string, Set<Overlap>] {
  let found: [string, Set<Overlap>] = ['', new Set()]
  let most = -1
  for (const [key, overlaps] of members) {
    const isFile = key.startsWith('file ')
    if (overlaps.size === 0 || (isFile && overlaps.size < FILE_MIN)) continue
    // Of equal groups, that of the reader, and then that of an activity.
    const size = overlaps.size + (isReaders(key) ? 0.5 : isFile ? -0.5 : 0)
    if (size > most) [found, most] = [[key, overlaps], size]
  }
  return found
}
