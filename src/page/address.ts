/** The address of everything on the page, in the fragment of its URL: `#/OWNER/REPO?person=ben&record=act_…`. Pure. */
import { CONSEQUENCES } from '../vocabulary/finding-kinds.ts'

/** What the page names. Pairs that only change the same file are counted apart. */
export const NAMED_CONSEQUENCES = CONSEQUENCES.filter((name) => name !== 'same_file')
export type NamedConsequence = (typeof NAMED_CONSEQUENCES)[number]

/** The parts of a repository that have a view of their own. */
export const SECTIONS = ['overlaps', 'notables', 'signal'] as const

/** What a reader chose in a repository. Everything is in the address, so that it can be sent to a colleague. */
export interface View {
  section: (typeof SECTIONS)[number]
  /** The key of a person; null for everyone. */
  person: string | null
  /** A file, or a folder with a `/` at its end. */
  path: string | null
  text: string
  /** The only consequence that is shown; null for all. */
  only: NamedConsequence | null
  /** Whether work is shown that nobody pushed recently, that of bots, and drafts. */
  idle: boolean
  bots: boolean
  drafts: boolean
  /** Whether only the reader's work is shown. */
  mine: boolean
  /** The id of an activity or notable whose details are open. */
  record: string | null
  /** The number of a pull request, as links from GitHub name it. */
  pull_request: number | null
}

export type Address = { kind: 'overview'; text: string } | { kind: 'repository'; name: string; view: View }

const FRAGMENT = /^#\/(?:([\w.-]+)(?:\/([\w.-]+))?\/?)?(?:\?(.*))?$/

/** Reads a fragment. Anything else is read as the overview; `#/acme` as a search for that owner. */
export function readAddress(hash: string): Address {
  const [, owner = null, repo = null, query = ''] = FRAGMENT.exec(hash) ?? []
  const given = new URLSearchParams(query)
  if (owner === null || repo === null)
    return { kind: 'overview', text: given.get('q') ?? (owner === null ? '' : `${owner}/`) }
  const pull_request = Number(given.get('pr') ?? '')
  return {
    kind: 'repository',
    name: `${owner}/${repo}`,
    view: {
      section: SECTIONS.find((name) => name === given.get('view')) ?? 'overlaps',
      person: given.get('person') || null,
      path: given.get('path') || null,
      text: given.get('q') ?? '',
      only: NAMED_CONSEQUENCES.find((name) => name === given.get('only')) ?? null,
      idle: given.get('idle') === 'show',
      bots: given.get('bots') === 'show',
      drafts: given.get('drafts') !== 'hide',
      mine: given.get('mine') === 'only',
      record: /^(?:act|ntb)_[a-z0-9]+$/.exec(given.get('record') ?? '')?.[0] ?? null,
      pull_request: Number.isInteger(pull_request) && pull_request > 0 ? pull_request : null,
    },
  }
}

export function formatAddress(address: Address): string {
  const query = new URLSearchParams()
  const add = (name: string, value: string | null) => value && query.set(name, value)
  if (address.kind === 'overview') {
    add('q', address.text)
    return withQuery('#/', query)
  }
  const { section, person, path, text, only, idle, bots, drafts, mine, record, pull_request } = address.view
  add('view', section === 'overlaps' ? null : section)
  add('person', person)
  add('path', path)
  add('q', text)
  add('only', only)
  add('idle', idle ? 'show' : null)
  add('bots', bots ? 'show' : null)
  add('drafts', drafts ? null : 'hide')
  add('mine', mine ? 'only' : null)
  add('pr', pull_request === null ? null : String(pull_request))
  add('record', record)
  return withQuery(`#/${address.name}`, query)
}

/** Slashes and colons stay readable: a fragment may contain them. */
function withQuery(place: string, query: URLSearchParams): string {
  const text = query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')
  return text === '' ? place : `${place}?${text}`
}

/** `owner/name` in whatever a person pastes: a name, a URL of GitHub, or the remote of a clone. */
export function repositoryNamed(text: string): string | null {
  const [, owner, name] =
    /^(?:(?:https?:\/\/|ssh:\/\/|git@)[^/:]+(?::\d+(?=\/))?[/:]|[\w-]+(?:\.[\w-]+)+\/)?([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/.*)?$/.exec(
      text.trim(),
    ) ?? []
  return owner && name ? `${owner}/${name}` : null
}
