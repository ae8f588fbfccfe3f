/** The work of the reader, of any person, or of one pull request: its collisions, who is ahead, and what to do. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../vocabulary/text.ts'
import { AgentIcon, Avatar } from './avatar.tsx'
import { duration } from './duration.ts'
import { EncounterItem } from './encounter.tsx'
import { type Encounter, encounterOf, encountersOf } from './encounters.ts'
import { type LiveWork, nameOf, pathsOf, rankOf } from './live-work.ts'
import { RecordLink } from './record-link.tsx'
import type { Activity } from './records.ts'
import type { Subject } from './repository-model.ts'

const SHOWN_MAX = 4
const PAIRS_MAX = 6
/** How many more items the button of a list shows. */
const MORE_MAX = 200

interface Props {
  subject: Subject
  work: LiveWork
  /** The key of the reader; null if unknown. */
  reader: string | null
  now_ms: number
  /** False until the collisions were read. */
  isCompared: boolean
}

export function You(props: Props) {
  const { subject, work, reader, now_ms, isCompared } = props
  if (!isCompared) return <p class="hint">Comparing …</p>
  if (subject.kind === 'everyone') return <Everyone {...props} note={subject.note} />
  const activities = subject.kind === 'activity' ? [subject.activity] : subject.activities
  if (activities.length === 0) return <p class="hint">No live work in this repository.</p>
  const all = activities
    .map((activity) => ({ activity, encounters: encountersOf(activity, work, reader) }))
    .sort((a, b) => worstRank(b.encounters) - worstRank(a.encounters))
  const others = all.filter(({ encounters }) => encounters.length === 0).map(({ activity }) => activity)
  const clear = others.filter(namesPlaces)
  const unnamed = others.filter((activity) => !namesPlaces(activity))
  return (
    <>
      {all
        .filter(({ encounters }) => encounters.length > 0)
        .map(({ activity, encounters }) => (
          <Work key={activity.id} {...{ activity, encounters, now_ms }} />
        ))}
      {clear.length > 0 && (
        <p class="all-clear">
          No collisions: <Titles activities={clear} />.
        </p>
      )}
      {unnamed.length > 0 && (
        <p class="hint">
          Not compared, because no files are named: <Titles activities={unnamed} />.
        </p>
      )}
      <SameFile
        pairs={work.same_file.pairs.filter((pair) => activities.some(({ id }) => pair.includes(id)))}
        work={work}
      />
    </>
  )
}

/** One line about pairs that need nobody, and which ones they are. `total`: how many there are, if that is known. */
function SameFile({
  pairs,
  total = pairs.length,
  work,
}: {
  pairs: string[][]
  total?: number
  work: LiveWork
}) {
  if (total === 0) return null
  return (
    <details class="same-file">
      <summary>
        {count(total, 'pair changes the same file', 'pairs change the same file')}, lines apart: nothing to do
      </summary>
      <ul class="plain">
        {pairs.map((pair) => (
          <li key={pair.join()}>
            <Titles activities={pair.flatMap((id) => work.activities.get(id) ?? [])} />
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Whether there is anything to compare with the places of others. */
function namesPlaces(activity: Activity): boolean {
  return pathsOf(activity).length > 0 || activity.scope.areas.length > 0
}

/** The most severe encounter comes first. */
function worstRank([worst]: Encounter[]): number {
  return rankOf(worst?.severity ?? null)
}

interface WorkProps {
  activity: Activity
  encounters: Encounter[]
  now_ms: number
}

function Work({ activity, encounters, now_ms }: WorkProps) {
  return (
    <article class="own-work">
      <h3>
        <RecordLink id={activity.id}>{activity.title}</RecordLink>{' '}
        <span class="soft">
          {nameOf(activity)} <AgentIcon agent={activity.agent} /> for{' '}
          {duration(Math.max(0, now_ms - Date.parse(activity.created_at)))}
        </span>
      </h3>
      <Limited items={encounters} max={SHOWN_MAX}>
        {(encounter) => <EncounterItem key={encounter.other.id} encounter={encounter} />}
      </Limited>
    </article>
  )
}

/** All collisions, for readers without work of their own. */
function Everyone({ work, reader, note }: Props & { note: string | null }) {
  const all = work.collisions.flatMap((collision) => encounterOf(collision, work, reader) ?? [])
  // Collisions within the work of one person come last, because they need no agreement.
  const pairs = all.toSorted((a, b) => Number(a.is_own) - Number(b.is_own))
  return (
    <>
      {note !== null && <p class="hint">{note}</p>}
      {pairs.length === 0 && <p class="all-clear">No collisions.</p>}
      <Limited items={pairs} max={PAIRS_MAX}>
        {(encounter) => (
          <EncounterItem key={`${encounter.mine.id} ${encounter.other.id}`} encounter={encounter} isPair />
        )}
      </Limited>
      <SameFile {...work.same_file} work={work} />
    </>
  )
}

function Titles({ activities }: { activities: Activity[] }) {
  return (
    <>
      {activities.slice(0, SHOWN_MAX).map(({ id, title }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <RecordLink id={id}>{title}</RecordLink>
        </span>
      ))}
      {activities.length > SHOWN_MAX && ` and ${activities.length - SHOWN_MAX} more`}
    </>
  )
}

interface LimitedProps<Item> {
  items: readonly Item[]
  max: number
  children: (item: Item) => JSX.Element
}

/** The first `max` items, and a button that shows more. */
export function Limited<Item>({ items, max, children }: LimitedProps<Item>) {
  const [isOpen, setIsOpen] = useState(false)
  const shown = isOpen ? items.slice(0, max + MORE_MAX) : items.slice(0, max)
  return (
    <>
      <ul class="plain">{shown.map(children)}</ul>
      {items.length > shown.length && !isOpen && (
        <button type="button" class="quiet more" data-item onClick={() => setIsOpen(true)}>
          {items.length - shown.length} more
        </button>
      )}
      {items.length > shown.length && isOpen && (
        <p class="hint">{items.length - shown.length} more: search or choose a person to see them.</p>
      )}
    </>
  )
}

/** The heading of the section. */
export function SubjectTitle({ subject }: { subject: Subject }) {
  if (subject.kind === 'everyone') return <>Collisions</>
  if (subject.kind === 'activity') return <>{nameOf(subject.activity)}</>
  return (
    <>
      <Avatar person={subject.person} size={24} /> {subject.is_reader ? 'You' : subject.person.name}
    </>
  )
}
