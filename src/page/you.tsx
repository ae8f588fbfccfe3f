/** The work of the reader, of any person, or of one pull request: its collisions, who is ahead, and what to do. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { AgentIcon, Avatar } from './avatar.tsx'
import { EncounterItem } from './encounter.tsx'
import { type Encounter, encounterOf, encountersOf } from './encounters.ts'
import { type LiveWork, nameOf, rankOf } from './live-work.ts'
import type { Activity } from './records.ts'
import type { Subject } from './repository-model.ts'
import { duration } from './time-scale.ts'
import type { ChangeView } from './use-address.ts'

const SHOWN_MAX = 4
const PAIRS_MAX = 6

interface Props {
  subject: Subject
  work: LiveWork
  /** The key of the reader; null if unknown. */
  reader: string | null
  now_ms: number
  /** False until the collisions were read. */
  isCompared: boolean
  onChange: ChangeView
}

export function You(props: Props) {
  const { subject, work, reader, isCompared } = props
  if (!isCompared) return <p class="hint">Comparing …</p>
  if (subject.kind === 'everyone') return <Everyone {...props} note={subject.note} />
  const activities = subject.kind === 'activity' ? [subject.activity] : subject.activities
  if (activities.length === 0) return <p class="hint">No live work in this repository.</p>
  const all = activities
    .map((activity) => ({ activity, encounters: encountersOf(activity, work, reader) }))
    .sort((a, b) => worstRank(b.encounters) - worstRank(a.encounters))
  const clear = all.filter(({ encounters }) => encounters.length === 0).map(({ activity }) => activity)
  return (
    <>
      {all
        .filter(({ encounters }) => encounters.length > 0)
        .map(({ activity, encounters }) => (
          <Work key={activity.id} {...props} activity={activity} encounters={encounters} />
        ))}
      {clear.length > 0 && <Clear activities={clear} onChange={props.onChange} />}
    </>
  )
}

function worstRank(encounters: Encounter[]): number {
  return encounters.reduce((most, { severity }) => Math.max(most, rankOf(severity)), -1)
}

function Work({
  activity,
  encounters,
  work,
  now_ms,
  onChange,
}: Props & { activity: Activity; encounters: Encounter[] }) {
  return (
    <article class="own-work">
      <h3>
        <button type="button" class="link" data-item onClick={() => onChange({ record: activity.id })}>
          {activity.title}
        </button>{' '}
        <span class="soft">
          {nameOf(activity)} <AgentIcon agent={activity.agent} /> for{' '}
          {duration(Math.max(0, now_ms - Date.parse(activity.created_at)))}
        </span>
      </h3>
      <Limited items={encounters} max={SHOWN_MAX}>
        {(encounter) => (
          <EncounterItem
            key={encounter.other.id}
            encounter={encounter}
            person={work.people.get(encounter.other.id)}
            onChange={onChange}
          />
        )}
      </Limited>
    </article>
  )
}

/** All collisions, for readers without work of their own. */
function Everyone({ work, reader, onChange, note }: Props & { note: string | null }) {
  const all = work.collisions.flatMap((collision) => encounterOf(collision, work, reader) ?? [])
  // Collisions within the work of one person come last, because they need no agreement.
  const pairs = all.toSorted((a, b) => Number(a.is_own) - Number(b.is_own))
  return (
    <>
      {note !== null && <p class="hint">{note}</p>}
      {pairs.length === 0 && <p class="all-clear">No collisions.</p>}
      <Limited items={pairs} max={PAIRS_MAX}>
        {(encounter) => (
          <EncounterItem
            key={`${encounter.mine.id} ${encounter.other.id}`}
            encounter={encounter}
            person={work.people.get(encounter.other.id)}
            isPair
            onChange={onChange}
          />
        )}
      </Limited>
    </>
  )
}

function Clear({ activities, onChange }: { activities: Activity[]; onChange: ChangeView }) {
  return (
    <p class="all-clear">
      No collisions:{' '}
      {activities.slice(0, SHOWN_MAX).map(({ id, title }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <button type="button" class="link" data-item onClick={() => onChange({ record: id })}>
            {title}
          </button>
        </span>
      ))}
      {activities.length > SHOWN_MAX && ` and ${activities.length - SHOWN_MAX} more`}.
    </p>
  )
}

/** The first `max` items, and a button that shows more. */
export function Limited<Item>({
  items,
  max,
  children,
}: {
  items: readonly Item[]
  max: number
  children: (item: Item) => JSX.Element
}) {
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

/** How many more items the button shows. */
const MORE_MAX = 200

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
