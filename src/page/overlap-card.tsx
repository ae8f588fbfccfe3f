/** A card of overlaps: both sides in the same form, what they share, and what to do. */
import { adviceSentence } from '../vocabulary/advice.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import { isAhead } from '../vocabulary/standing.ts'
import { CONSEQUENCE_WORDS, linesText, numbersText } from '../vocabulary/verdict-words.ts'
import { AgentIcon, Avatar } from './avatar.tsx'
import { CopyButton, ExternalLink, Limited, RecordLink } from './controls.tsx'
import { timeAgo } from './duration.ts'
import { type Encounter, encounterOf, type Group, messageFor, standingOf } from './encounters.ts'
import { type Strip, stripOf } from './hot-spots.ts'
import { type LiveWork, nameOf } from './live-work.ts'
import type { Activity } from './records.ts'
import { isOf } from './repository-model.ts'
import { changeView } from './use-address.ts'

const LINES_MAX = 2
const SIDES_MAX = 3

export interface Shown {
  work: LiveWork
  /** The key of the reader; null if unknown. */
  reader: string | null
  now_ms: number
}

export function OverlapCard({ group, ...shown }: Shown & { group: Group }) {
  const { hub, path, overlaps } = group
  const { work, reader } = shown
  const encounters = overlaps.flatMap((overlap) => encounterOf(overlap, work, { reader, hub }) ?? [])
  const [first] = encounters
  if (!first) return null
  if (path !== null) return <FileCard {...shown} path={path} encounters={encounters} />
  const center = work.activities.get(hub ?? '')
  const isSingle = encounters.length === 1
  return (
    <li class={`overlap edge-${first.severity}`}>
      {center && !isSingle && <Side activity={center} {...shown} />}
      <Limited items={encounters} max={LINES_MAX}>
        {(encounter) => (
          <li key={encounter.other.id + encounter.mine.id}>
            <Pair {...shown} encounter={encounter} hub={isSingle ? null : hub} />
          </li>
        )}
      </Limited>
    </li>
  )
}

/** One overlap. `hub`: a side that is shown above already. */
export function Pair({ encounter, hub, ...shown }: Shown & { encounter: Encounter; hub: string | null }) {
  const { mine, other, advice, is_own, is_readers } = encounter
  return (
    <>
      {[mine, other].map((side) => side.id !== hub && <Side key={side.id} activity={side} {...shown} />)}
      <What {...encounter} />
      <div class="todo">
        <p>{adviceSentence(advice)}</p>
        {!is_own && (
          <CopyButton
            text={() => messageFor(encounter, location.href)}
            what="a message"
            title={is_readers ? `A message for ${other.actor}` : 'A message for both'}
          />
        )}
      </div>
    </>
  )
}

/** Overlaps of several activities at one file. The one that goes first is on top. */
function FileCard({ path, encounters, ...shown }: Shown & { path: string; encounters: Encounter[] }) {
  const sides = new Map(encounters.flatMap(({ mine, other }) => [mine, other]).map((side) => [side.id, side]))
  const ordered = [...sides.values()].sort((a, b) => (isAhead(standingOf(a), standingOf(b)) ? -1 : 1))
  const [first, worst] = [ordered[0] as Activity, encounters[0] as Encounter]
  return (
    <li class={`overlap edge-${worst.severity}`}>
      <p class="what">
        <Consequence {...worst} /> <Path path={path} />
        <span class="soft">
          {encounters.length} pairs of {sides.size}
        </span>
      </p>
      <Limited items={ordered} max={SIDES_MAX}>
        {(side) => (
          <li key={side.id}>
            <Side activity={side} {...shown} />
          </li>
        )}
      </Limited>
      <div class="todo">
        <p>{nameOf(first)} goes first. The others rebase after it merges, or agree on one of them.</p>
      </div>
    </li>
  )
}

/** One side, the same for everybody: who, which pull request, and when it was pushed. */
export function Side({ activity, work, now_ms }: Omit<Shown, 'reader'> & { activity: Activity }) {
  const { id, title, actor, agent, branch, pr_url, draft_pr } = activity
  const person = work.people.get(id)
  const marks = [
    draft_pr && 'draft',
    isOf('bots', activity, now_ms) && 'bot',
    isOf('idle', activity, now_ms) && 'idle',
  ]
  return (
    <div class="side">
      {person && <Avatar person={person} />}
      <span class="side-name" title={actor}>
        {person?.name ?? actor}
      </span>
      <span class="side-place">
        {pr_url ? <ExternalLink url={pr_url} text={pullRequestName(pr_url) ?? pr_url} /> : branch}
      </span>
      <RecordLink id={id}>{title}</RecordLink>
      <span class="side-when">
        <AgentIcon agent={agent} />
        {marks.map((mark) => mark && <b key={mark}>{mark}</b>)}
        <When activity={activity} now_ms={now_ms} />
      </span>
    </div>
  )
}

/** `pushed 3 days ago`, by GitHub; of declared work `started 2 hours ago`. On a phone without the verb. */
function When({ activity, now_ms }: { activity: Activity; now_ms: number }) {
  const { pushed_at, created_at } = activity
  return (
    <span>
      <span class="wide">{pushed_at ? 'pushed ' : 'started '}</span>
      {timeAgo(now_ms - Date.parse(pushed_at ?? created_at))}
    </span>
  )
}

function Consequence({ consequence, severity }: Pick<Encounter, 'consequence' | 'severity'>) {
  return <span class={`pill severity-${severity}`}>{CONSEQUENCE_WORDS[consequence]}</span>
}

/** What the pair leads to, where, and how the lines of both lie. One line against one line needs no picture. */
function What({ places, relation, ...encounter }: Encounter) {
  const [place] = places
  const ranges = place ? [place.mine, place.theirs] : []
  const isLong = ranges.some((lines) => lines && lines[1] > lines[0])
  const strip = isLong ? stripOf(ranges.map((lines) => (lines ? [lines] : []))) : null
  const isSaid = encounter.consequence === 'conflict' || encounter.consequence === 'possible'
  return (
    <p class="what">
      <Consequence {...encounter} />
      {place && <Path path={place.path} />}
      {strip && <StripView strip={strip} />}
      <span class="soft">
        {[isSaid ? numbersText(ranges) : relation, places.length > 1 && `${places.length - 1} more`]
          .filter(Boolean)
          .join(', ')}
      </span>
    </p>
  )
}

/** Filters by the file. In the details of a record, this also closes them. */
function Path({ path }: { path: string }) {
  if (path.startsWith('area ')) return <span class="path">{path}</span>
  return (
    <button type="button" class="link path" data-item onClick={() => changeView({ path, record: null })}>
      {path}
    </button>
  )
}

export function StripView({ strip }: { strip: Strip }) {
  return (
    <span class="strips" aria-hidden="true">
      {strip.map((ranges, side) => (
        <span key={side} class="strip">
          {ranges.map(({ start, end, lines }) => (
            <span
              key={lines.join()}
              style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }}
              title={linesText(lines)}
            />
          ))}
        </span>
      ))}
    </span>
  )
}
