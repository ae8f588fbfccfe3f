/** One collision as one side sees it: the other side, the lines of both, who is ahead, and what to do. */
import { useState } from 'preact/hooks'
import { FILES_SHOWN_MAX } from '../vocabulary/shown.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { AgentIcon, Avatar } from './avatar.tsx'
import { type Encounter, messageFor, type Place } from './encounters.ts'
import { ExternalLink } from './external-link.tsx'
import { stripOf } from './hot-spots.ts'
import { nameOf } from './live-work.ts'
import { RecordLink } from './record-link.tsx'
import { StripAxis, StripTrack, stripLines } from './strip.tsx'
import { changeView } from './use-address.ts'

const COPIED_MS = 2000

interface Props {
  encounter: Encounter
  /** Shows the titles of both sides. By default, only that of the other side, because the own one is in the heading above. */
  isPair?: boolean
}

export function EncounterItem({ encounter, isPair = false }: Props) {
  const { mine, other, person, severity, consequence, places, relation, advice, is_readers, is_own } =
    encounter
  const own = is_readers ? 'yours' : mine.actor
  return (
    <li class={`encounter edge-${severity}`}>
      <div class="encounter-head line">
        <span class={`pill severity-${severity}`}>
          {CONSEQUENCE_WORDS[consequence]}, {severity}
        </span>
        {isPair && (
          <>
            <RecordLink id={mine.id}>{mine.title}</RecordLink>
            <span class="soft">
              {mine.actor} {nameOf(mine)} collides with
            </span>
          </>
        )}
        {person && <Avatar person={person} />}
        <RecordLink id={other.id}>{other.title}</RecordLink>
        <span class="soft">
          {other.actor} {nameOf(other)} <AgentIcon agent={other.agent} />
        </span>
        {relation && <span class="soft">{relation}</span>}
      </div>
      <ul class="plain">
        {places.slice(0, FILES_SHOWN_MAX).map((place) => (
          <PlaceView key={place.path} place={place} names={[own, other.actor]} />
        ))}
      </ul>
      <div class="encounter-foot line">
        <p class="advice">
          <span class="soft">{advice.order && `${advice.order}.`}</span> <strong>{advice.action}</strong>
        </p>
        <div class="line actions">
          {other.pr_url && <ExternalLink url={other.pr_url} text="Open on GitHub" className="button quiet" />}
          {!is_own && (
            <CopyButton
              text={() => messageFor(encounter, location.href)}
              label={is_readers ? `Copy a message for ${other.actor}` : 'Copy a message for both'}
            />
          )}
        </div>
      </div>
    </li>
  )
}

function PlaceView({ place, names }: { place: Place; names: [string, string] }) {
  const sides = [place.mine, place.theirs].map((lines) => (lines === null ? [] : [lines]))
  const strip = stripOf(sides)
  const isFile = !place.path.startsWith('area ')
  return (
    <li class="place">
      {isFile ? (
        // In the details of a record, this also closes them.
        <button
          type="button"
          class="link path"
          data-item
          onClick={() => changeView({ path: place.path, record: null })}
        >
          {place.path}
        </button>
      ) : (
        <span class="path">{place.path}</span>
      )}
      {strip && (
        <div class={place.is_conflict ? 'strips conflict' : 'strips'}>
          {(['mine', 'theirs'] as const).map((side, index) => (
            <div key={side} class="strip-row">
              <span class="strip-name">{names[index]}</span>
              <StripTrack ranges={strip.ranges[index] ?? []} side={side} />
              <span class="strip-lines">{stripLines(sides[index] ?? [])}</span>
            </div>
          ))}
          <StripAxis {...strip} />
        </div>
      )}
    </li>
  )
}

/** Copies a text and says whether it worked: a page that is not served over https may not write to the clipboard. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [state, setState] = useState('')
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(text()).then(
      () => true,
      () => false,
    )
    if (!isCopied) prompt('The browser does not let this page copy. Copy it from here:', text())
    setState(isCopied ? 'Copied' : '')
    setTimeout(() => setState(''), COPIED_MS)
  }
  return (
    <>
      <button type="button" class="quiet" data-item onClick={() => void copy()}>
        {state || label}
      </button>
      <span class="unseen" role="status">
        {state}
      </span>
    </>
  )
}
