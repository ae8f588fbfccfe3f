/** The filters of everything on the page, and what they hide. */

import type { ComponentChildren } from 'preact'
import { count, joined } from '../vocabulary/text.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { NAMED_CONSEQUENCES, type View } from './address.ts'
import { HIDEABLE, type Hideable, type RepositoryModel } from './repository-model.ts'
import { changeView } from './use-address.ts'

export function Filters({ view, model }: { view: View; model: RepositoryModel }) {
  const { text, person, path, pull_request, only } = view
  const { people, reader, hideable } = model
  return (
    <search class="filters line">
      <label class="search">
        <span class="unseen">Search titles, people, branches, areas and paths</span>
        <input
          type="search"
          placeholder="Search title, person, path …"
          value={text}
          onInput={(event) => changeView({ text: event.currentTarget.value }, { replace: true })}
        />
      </label>
      <select
        aria-label="Person"
        value={person ?? ''}
        onChange={(event) => changeView({ person: event.currentTarget.value || null })}
      >
        <option value="">everyone</option>
        {people.map(({ key, name }) => (
          <option key={key} value={key}>
            {key === reader ? 'you' : name}
          </option>
        ))}
      </select>
      <select
        aria-label="Consequence"
        value={only ?? ''}
        onChange={({ currentTarget: { value } }) =>
          changeView({ only: NAMED_CONSEQUENCES.find((name) => name === value) ?? null })
        }
      >
        <option value="">all consequences</option>
        {NAMED_CONSEQUENCES.map((name) => (
          <option key={name} value={name}>
            {CONSEQUENCE_WORDS[name]}
          </option>
        ))}
      </select>
      <span class="toggles">
        {HIDEABLE.map((kind) => (
          <Toggle key={kind} isOn={view[kind]} onClick={() => changeView({ [kind]: !view[kind] })}>
            {kind} {hideable[kind] > 0 && <small>{hideable[kind]}</small>}
          </Toggle>
        ))}
        {reader !== null && (
          <Toggle isOn={view.mine} onClick={() => changeView({ mine: !view.mine })}>
            mine
          </Toggle>
        )}
        {path !== null && <Chosen name={`path ${path}`} text={path} change={{ path: null }} />}
        {pull_request !== null && (
          <Chosen
            name={`pull request ${pull_request}`}
            text={`#${pull_request}`}
            change={{ pull_request: null }}
          />
        )}
      </span>
    </search>
  )
}

interface ToggleProps {
  isOn: boolean
  /** For screen readers, if the text does not say it. */
  label?: string
  onClick: () => void
  children: ComponentChildren
}

function Toggle({ isOn, label, ...props }: ToggleProps) {
  return <button type="button" class="quiet" aria-pressed={isOn} aria-label={label} {...props} />
}

/** A filter that is chosen elsewhere on the page. */
function Chosen({ name, text, change }: { name: string; text: string; change: Partial<View> }) {
  return (
    <Toggle isOn={true} label={`Remove the filter: ${name}`} onClick={() => changeView(change)}>
      {text} ✕
    </Toggle>
  )
}

const KINDS: Record<Hideable, string> = {
  idle: 'of work that nobody pushed for two weeks',
  bots: 'of bots',
  drafts: 'of drafts',
}

/** What is not shown, so that its absence says nothing. */
export function Hidden({ hidden }: RepositoryModel) {
  const { pairs, activities, kinds } = hidden
  if (pairs + activities === 0) return null
  return (
    <>
      {pairs > 0 ? count(pairs, 'pair is', 'pairs are') : count(activities, 'activity is', 'activities are')}{' '}
      hidden, {joined(kinds.map((kind) => KINDS[kind]))}.{' '}
      <button type="button" class="link" onClick={() => changeView({ idle: true, bots: true, drafts: true })}>
        Show all
      </button>
    </>
  )
}
