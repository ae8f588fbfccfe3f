/** Extracts from the service's responses where other work overlaps, and warns the agent of it. */

import type { IssueClaim } from '../../vocabulary/contract/issue.ts'
import type { OverlapResult as Overlap, OverlapBrief } from '../../vocabulary/contract/overlap.ts'
import { findingOf, saidIn } from '../../vocabulary/finding.ts'
import { isNotableId, pullRequestName } from '../../vocabulary/names.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { sanitize } from '../../vocabulary/text.ts'
import { type ComparedLines, NOT_COMPARED } from '../../vocabulary/verdict.ts'
import type { LocalState } from '../local-state.ts'
import type { Workspace } from '../workspace.ts'
import type { HookClient } from './hook-client.ts'
import {
  groupsOf,
  isWaitedFor,
  messageFor,
  type NamedMatch,
  type Other,
  type Place,
  whoOf,
} from './message.ts'
import { comparedKey, type Situation } from './plan.ts'

const WARNINGS_MAX = 500
const NO_PATH = { path: null, is_own_path: false }

/** What the steps of one hook share: its situation, the working tree and the connection to the service. */
export interface SessionContext {
  situation: Situation
  workspace: Workspace
  /** The repository of every request. */
  at: { owner: string; repo: string }
  without_titles: boolean
  /** The service did not answer a while ago: what is found is that of the clone, and nothing is declared. */
  is_away: boolean
  isInTree(path: string): boolean
  /** Connects when it is first called, because many hooks send no request. */
  connect(): Promise<HookClient>
  save(state: LocalState): void
  /** Milliseconds until the hook has to end. */
  left_ms(): number
}

/** What a hook found, and what is known about the other activities and notables, by id. */
export interface Found {
  places: Place[]
  others: [string, Other][]
  /** The ids of all activities that overlap with that of the session; undefined if the service was not asked. */
  related?: readonly string[]
  /** What a create says about the issue of the activity. */
  issue?: IssueClaim | null
}

export interface StepResult {
  state: LocalState
  found: Found
}

export const NOTHING: Found = { places: [], others: [] }

interface Compared extends Pick<Overlap, 'relationships' | 'related_activity_ids'> {
  /** `yours`: null if it is not known whose glob it is. */
  matches: (NamedMatch & {
    paths: (ComparedLines & { yours: string | null; example: string })[]
  })[]
}

/** The matches of a check or a create, and the other activities of the same branch. */
export function placesOf(
  { matches, relationships, related_activity_ids }: Compared,
  isInTree: SessionContext['isInTree'],
): Found {
  // Merged work, which has a number as its id, is no work that goes on here.
  const found = matches.filter(({ id }) => !id.startsWith('#'))
  const shared = found.flatMap(({ paths, ...match }): Place[] => {
    const place = { ...match, is_same_branch: false }
    const taken = saidIn(match.findings).map((said) => ({ ...place, ...NOT_COMPARED, ...NO_PATH, said }))
    if (paths.length + taken.length === 0) return [{ ...place, ...NOT_COMPARED, ...NO_PATH }]
    const files = paths.map(({ yours, example, verdict, confidence, your_lines, their_lines }) => {
      const is_own_path = yours === example || isInTree(example)
      return { ...place, verdict, confidence, your_lines, their_lines, path: example, is_own_path }
    })
    return [...taken, ...files]
  })
  const same = Object.entries(relationships).flatMap(([id, relation]): Place[] =>
    relation === 'own' ? [{ ...OF_SAME_BRANCH, id }] : [],
  )
  return { places: [...shared, ...same], others: found.map(otherOf), related: related_activity_ids }
}

const OF_SAME_BRANCH = {
  severity: 'low' as const,
  consequence: null,
  findings: [],
  ...NO_PATH,
  ...NOT_COMPARED,
  is_same_branch: true,
  same_author: false,
  ...{ worktree: null, branch: null },
  is_bot: false,
}

function otherOf({ id, title, actor, branch, pr_url }: NamedMatch): [string, Other] {
  return [id, { title, actor, branch, login: null, agent: null, pull_request: pullRequestName(pr_url) }]
}

/** The matches of a retrieval or an update. */
export function placesOfBrief(overlap: OverlapBrief | null, isInTree: SessionContext['isInTree']): Found {
  const { matches = [], related_activity_ids = [] } = overlap ?? {}
  const pairsOf = ({ example, findings }: OverlapBrief['matches'][number]) => {
    const lines = findingOf(findings, 'lines')
    const compared = lines && lines.path === example ? lines : NOT_COMPARED
    return example === null ? [] : [{ ...compared, yours: null, example }]
  }
  const paired = matches.map((match) => ({ ...match, paths: pairsOf(match) }))
  return placesOf({ matches: paired, relationships: {}, related_activity_ids }, isInTree)
}

/** Work in a clone has another id once it is declared, and again when that expires; it is known by its working tree and branch. */
export function workKey({ id, worktree, branch }: Pick<Place, 'id' | 'worktree' | 'branch'>): string {
  return worktree ? `${worktree} ${branch}` : id
}

/** Identifies a warning: the session and each subagent are warned once of each other activity and file. */
function warningKey(subagent: string | null, place: Place): string {
  const { path, said } = place
  const name = said?.words.place(said.finding, sanitize)
  return comparedKey(subagent, `${workKey(place)} ${path ?? name ?? ''}`)
}

/** What an agent has heard with a warning. A conflict is more than what was only possible, and is said once more. */
function heardWith(subagent: string | null, place: Place): string[] {
  const key = warningKey(subagent, place)
  return place.consequence === 'conflict' ? [key, `!${key}`] : [key]
}

/** The places that the agent was not warned of. If a place occurs with and without lines, the one with lines is returned. */
export function freshPlaces(
  places: readonly Place[],
  { warned }: Pick<LocalState, 'warned'>,
  subagent: string | null,
): Place[] {
  const fresh = new Map<string, Place>()
  for (const place of places) {
    const key = warningKey(subagent, place)
    const isHeard = heardWith(subagent, place).every((each) => warned.includes(each))
    if (!isHeard && !fresh.get(key)?.their_lines) fresh.set(key, place)
  }
  return [...fresh.values()]
}

/** The state in which the warnings of `places` are recorded. */
export function withWarned(state: LocalState, places: readonly Place[], subagent: string | null): LocalState {
  const keys = places.flatMap((place) => heardWith(subagent, place))
  return { ...state, warned: [...state.warned, ...keys].slice(-WARNINGS_MAX) }
}

/**
 * The message that warns of `fresh`, possibly empty, of at most `max` characters, and the state in which these warnings are
 * recorded.
 */
export async function warn(
  context: SessionContext,
  fresh: readonly Place[],
  { state, known, max }: { state: LocalState; known: ReadonlyMap<string, Other>; max: number },
): Promise<{ message: string; state: LocalState }> {
  const { without_titles, situation } = context
  const groups = groupsOf(fresh).slice(0, OTHERS_SHOWN_MAX)
  const ids = groups.map(([place]) => (place as Place).id)
  // Only the record itself contains the login, which is shown instead of titles.
  const missing = ids.filter((id) => without_titles || !known.has(id))
  const read = await Promise.all(missing.map((id) => readOther(context, id)))
  const others = new Map([...known, ...read.filter((each) => each !== undefined)])
  // The pull request of the same branch is the session's own work.
  const isOthers = ({ id, is_same_branch }: Place) => !is_same_branch || others.get(id)?.is_session !== false
  const options = { without_titles, own_id: state.activity_id, max }
  const { text, named } = messageFor(fresh.filter(isOthers), others, options)
  const settled = [...named, ...fresh.filter((place) => !isOthers(place))]
  const waits_for = named.filter(isWaitedFor).map((place) => {
    const who = whoOf(place.id, others.get(place.id), { ...options, ...place })
    return [place.id, { path: place.path as string, who, key: workKey(place) }]
  })
  return {
    message: text,
    state: {
      ...withWarned(state, settled, situation.subagent),
      waits_for: { ...state.waits_for, ...Object.fromEntries(waits_for) },
      // A later hook has room for it.
      has_unread_overlap: settled.length === 0,
    },
  }
}

/** Reads the other activity or notable; undefined if it cannot be read, and the message then contains only its id. */
export async function readOther(
  { connect, at }: SessionContext,
  id: string,
): Promise<[string, Other] | undefined> {
  try {
    const client = await connect()
    if (isNotableId(id)) {
      const { title, created_by: login } = await client.getNotable({ ...at, id })
      return [id, { title, login, actor: login, branch: null, agent: null, pull_request: null }]
    }
    const activity = await client.getActivity({ ...at, id })
    const { actor, agent, branch, pr_url, created_by, source, by_newcomer } = activity
    const pull_request = pullRequestName(pr_url)
    const title = by_newcomer ? (pull_request ?? id) : activity.title
    const is_session = source === 'api'
    // The actor of work that GitHub shows is a login.
    const login = client.is_of_clone ? null : is_session ? created_by : actor
    return [id, { title, actor, agent, branch, login, pull_request, is_session }]
  } catch {
    return undefined
  }
}
