/** Where other work overlaps, from the answers of the service, and who is behind it (contract §6). */
import { pullRequestName } from '../../../activities/pull-request-name.ts'
import type { OutputOf } from '../../../operations/contract.ts'
import type { LocalState } from '../local-state.ts'
import type { HookClient } from './hook-client.ts'
import { groupsOf, type MessageOptions, messageFor, NAMED_MAX, type Other, type Place } from './message.ts'
import { comparedKey } from './plan.ts'

type Overlap = OutputOf<'checkOverlap'>
type OverlapBrief = NonNullable<OutputOf<'heartbeatActivity'>['overlap']>

const WARNINGS_MAX = 500

/** The matches of a check or a create, and activities of the same branch. `own`: the ids of the session's own activities, which are left out. */
export function placesOf({ matches, relationships }: Overlap, own: ReadonlySet<string>): Place[] {
  const shared = matches.flatMap(({ id, severity, paths }): Place[] => {
    const place = { id, severity, is_same_branch: false }
    if (paths.length === 0) return [{ ...place, path: null, verdict: null, their_lines: null }]
    return paths.map(({ example, verdict, their_lines }) => ({
      ...place,
      path: example,
      // Older services do not compare lines.
      verdict: verdict ?? null,
      their_lines: their_lines ?? null,
    }))
  })
  const same = Object.entries(relationships).flatMap(([id, relation]): Place[] =>
    relation === 'own'
      ? [{ id, severity: 'low', path: null, verdict: null, their_lines: null, is_same_branch: true }]
      : [],
  )
  return [...shared, ...same].filter(({ id }) => !own.has(id))
}

/** The matches of a heartbeat or an update, with the names that they carry. */
export function placesOfBrief(
  overlap: OverlapBrief | null,
  own: ReadonlySet<string>,
): { places: Place[]; others: [string, Other][] } {
  const matches = (overlap?.matches ?? []).filter(({ id }) => !own.has(id))
  return {
    places: matches.map(({ id, severity, example, lines }) => ({
      id,
      severity,
      path: example,
      verdict: lines ?? null,
      their_lines: null,
      is_same_branch: false,
    })),
    others: matches.map(({ id, title, actor, branch, pr_url }) => [
      id,
      { title, actor, branch, login: null, agent: null, pull_request: pullRequestName(pr_url) },
    ]),
  }
}

/** Once for each other activity and file, and for each context of the agent. */
function warningKey(subagent: string | null, { id, path }: Place): string {
  return comparedKey(subagent, `${id} ${path ?? ''}`)
}

/** The places that the agent was not warned of. The same place with lines comes before the one without. */
export function freshPlaces(
  places: readonly Place[],
  { warned }: LocalState,
  subagent: string | null,
): Place[] {
  const fresh = new Map<string, Place>()
  for (const place of places) {
    const key = warningKey(subagent, place)
    if (!warned.includes(key) && !fresh.get(key)?.their_lines) fresh.set(key, place)
  }
  return [...fresh.values()]
}

interface WarnOptions extends MessageOptions {
  client: HookClient
  at: { owner: string; repo: string }
  subagent: string | null
  known: ReadonlyMap<string, Other>
}

/** The message about `fresh`, which may be empty, and the state with what it names. */
export async function warn(
  fresh: readonly Place[],
  state: LocalState,
  { client, at, subagent, known, without_titles }: WarnOptions,
): Promise<{ message: string; state: LocalState }> {
  const groups = groupsOf(fresh).slice(0, NAMED_MAX)
  const ids = groups.map(([place]) => (place as Place).id)
  // The login, which is not free text, is only in the record.
  const missing = ids.filter((id) => without_titles || !known.has(id))
  const read = await Promise.all(missing.map((id) => readOther({ client, at }, id)))
  const others = new Map([...known, ...read.filter((each) => each !== undefined)])
  // The pull request of the same branch is the session's own work.
  const isOthers = ({ id, is_same_branch }: Place) => !is_same_branch || others.get(id)?.is_session !== false
  const { text, named } = messageFor(fresh.filter(isOthers), others, { without_titles })
  const settled = [...named, ...fresh.filter((place) => !isOthers(place))]
  const warned = [...state.warned, ...settled.map((place) => warningKey(subagent, place))].slice(
    -WARNINGS_MAX,
  )
  return { message: text, state: { ...state, warned } }
}

/** Undefined if it cannot be read: its id is then named. */
async function readOther(
  { client, at }: Pick<WarnOptions, 'client' | 'at'>,
  id: string,
): Promise<[string, Other] | undefined> {
  try {
    if (id.startsWith('ntb_')) {
      const { title, created_by: login } = await client.getNotable({ ...at, id })
      return [id, { title, login, actor: login, branch: null, agent: null, pull_request: null }]
    }
    const { title, actor, agent, branch, pr_url, created_by, source } = await client.getActivity({
      ...at,
      id,
    })
    const other = { title, actor, agent, branch, login: created_by, pull_request: pullRequestName(pr_url) }
    return [id, { ...other, is_session: source === 'api' }]
  } catch {
    return undefined
  }
}
