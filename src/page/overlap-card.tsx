/** A card of overlaps: both sides in the same form, what they share, and what to do. */
import { CONSEQUENCE_WORDS, linesText, numbersText } from '../vocabulary/verdict-words.ts'
import { Avatar } from './avatar.tsx'
import { CopyButton, Limited, PullRequestLink, RecordLink } from './controls.tsx'
import { timeAgo } from './duration.ts'
import { type Encounter, encounterOf, type Group, messageFor } from './encounters.ts'
import { type Strip, stripOf } from './hot-spots.ts'
import type { LiveWork } from './live-work.ts'
import type { Activity } from './records.ts'
import { isOf, lastMoved } from './repository-model.ts'
import { changeView } from './use-address.ts'

const LINES_MAX = 2

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
  const isSingle = encounters.length === 1
  const center = isSingle ? undefined : work.activities.get(hub ?? '')
  return (
    <li class={`overlap edge-${first.severity}`}>
      {center && <Side activity={center} {...shown} />}
      {path !== null && (
        <p class="what">
          <Path path={path} /> <span class="soft">{encounters.length} pairs</span>
        </p>
      )}
      <Limited items={encounters} max={LINES_MAX}>
        {(encounter) => (
          <li key={encounter.other.id + encounter.mine.id}>
            <Pair {...shown} encounter={encounter} above={isSingle ? {} : group} />
          </li>
        )}
      </Limited>
    </li>
  )
}

interface PairProps extends Shown {
  encounter: Encounter
  /** The side or the file that is shown above already. */
  above: Partial<Pick<Group, 'hub' | 'path'>>
}

/** One overlap. */
export function Pair({ encounter, above, ...shown }: PairProps) {
  const { mine, other, advice, is_talk, is_readers } = encounter
  return (
    <>
      {[mine, other].map(
        (side) => side.id !== above.hub && <Side key={side.id} activity={side} {...shown} />,
      )}
      <What {...encounter} above={above.path} />
      <div class="todo">
        <p>{advice}</p>
        {is_talk && (
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

/** One side, the same for everybody: who, which pull request, and when GitHub got its last push or, of declared work, it began. */
export function Side({ activity, work, now_ms }: Omit<Shown, 'reader'> & { activity: Activity }) {
  const { id, title, actor, branch, pr_url, draft_pr, conflicts_with_base } = activity
  const person = work.people.get(id)
  const marks = [
    draft_pr && 'draft',
    conflicts_with_base && 'conflicts with its own base',
    isOf('bots', activity, now_ms) && 'bot',
    isOf('idle', activity, now_ms) && 'idle',
  ]
  return (
    <div class="side">
      {person && <Avatar person={person} />}
      <span class="side-name" title={actor}>
        {person?.name ?? actor}
      </span>
      <span class="side-place">{pr_url ? <PullRequestLink url={pr_url} /> : branch}</span>
      <RecordLink id={id}>{title}</RecordLink>
      <span class="side-when">
        {marks.map((mark) => mark && <b key={mark}>{mark}</b>)}
        <span>
          <span class="wide">{activity.pushed_at ? 'pushed ' : 'started '}</span>
          {timeAgo(now_ms - Date.parse(lastMoved(activity)))}
        </span>
      </span>
    </div>
  )
}

/** What the pair leads to, where, and how the lines of both lie. One line against one line needs no picture. */
function What({
  places,
  relation,
  consequence,
  severity,
  above,
}: Encounter & { above: string | null | undefined }) {
  const [place] = places
  const ranges = place ? [place.mine, place.theirs] : []
  const isLong = ranges.some((lines) => lines && lines[1] > lines[0])
  return (
    <p class="what">
      <span class={`pill severity-${severity}`}>{CONSEQUENCE_WORDS[consequence]}</span>
      {place && place.path !== above && <Path path={place.path} />}
      {isLong && <StripView strip={stripOf(ranges)} />}
      <span class="soft">
        {[relation || numbersText(ranges), places.length > 1 && `${places.length - 1} more`]
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

function StripView({ strip }: { strip: Strip }) {
  return (
    <span class="strips" aria-hidden="true">
      {strip.map((part, side) => (
        <span key={side} class="strip">
          {part && (
            <span
              style={{ left: `${part.start * 100}%`, width: `${(part.end - part.start) * 100}%` }}
              title={linesText(part.lines)}
            />
          )}
        </span>
      ))}
    </span>
  )
}
