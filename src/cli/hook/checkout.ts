/** What other sessions do in the very same directory (docs/contract/local.md#this-checkout). Pure. */

import { FILES_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { inQuotes, sanitize } from '../../vocabulary/text.ts'
import type { Session } from '../local-state.ts'
import { hasNewContext, type Situation } from './plan.ts'

/** A session that wrote nothing for so long has ended without its last hook. */
const PRESENT_MS = 1_800_000
const EDITED_MAX = 200
const SHA_SHOWN = 7

type Place = NonNullable<Session['place']>

/** What the hooks of a session leave for those of others in its directory. */
export type Presence = Pick<
  Session,
  'agent' | 'since' | 'at' | 'place' | 'is_at_rest' | 'started' | 'edited' | 'told'
>

/** The presence of a session after this hook, and what it hears, each thing once. `others`: the sessions of the directory. */
export function checkoutNews(
  before: Presence,
  others: readonly (Presence & { key: string })[],
  { situation, here }: { situation: Situation; here: Place },
): { presence: Presence; sentences: string[] } {
  const { now, is_heard, agent, edits, event, reason } = situation
  const present = others.filter((each) => isPresent(each, now))
  const edited = [...new Set([...before.edited, ...edits])].slice(-EDITED_MAX)
  const heard = hasNewContext(situation) ? [] : before.told
  const facts = present.flatMap((other) => besides(other, edited)).filter(({ key }) => !heard.includes(key))
  const told = is_heard ? facts : []
  // A commit while it works is its own. A switch is told where others are, and kept until a hook whose output is heard.
  const isOwnSwitch = is_heard || before.place === null || present.length === 0
  const branch = isOwnSwitch ? here.branch : (before.place?.branch ?? null)
  const isKnown = isOwnSwitch || event === 'stop'
  const presence = {
    ...{ agent, edited, at: now, since: before.since || now },
    place: isKnown ? { branch, head: here.head } : before.place,
    is_at_rest: event === 'stop' || event === 'session-start',
    started: event === 'session-start' ? reason : '',
    told: [...heard, ...told.map(({ key }) => key)].slice(-EDITED_MAX),
  }
  const moves = is_heard ? moved(before, here, present.length > 0) : []
  return { presence, sentences: [...moves, ...told.map(({ text }) => text)] }
}

export function isPresent({ at }: Presence, now: number): boolean {
  return now - at < PRESENT_MS
}

interface Fact {
  key: string
  text: string
}

function moved({ place, is_at_rest }: Presence, here: Place, isShared: boolean): string[] {
  if (place === null) return []
  const [from, to] = [place, here].map(({ branch }) => (branch === null ? 'a commit' : inQuotes(branch)))
  if (place.branch !== here.branch)
    return isShared || is_at_rest ? [`This directory was switched from ${from} to ${to}.`] : []
  if (!is_at_rest || place.head === null || place.head === here.head) return []
  const [before, after] = [place.head, here.head ?? ''].map((sha) => sha.slice(0, SHA_SHOWN))
  const what = here.branch === null ? 'This directory' : to
  return [`${what} moved from ${before} to ${after} by a commit that is not yours.`]
}

/** That another session is here, and which of the files of this one it has edited too. */
function besides({ key, agent, since, edited }: Presence & { key: string }, own: readonly string[]): Fact[] {
  const who = `Another session (${sanitize(agent)}, since ${timeOf(since)})`
  const last = edited.slice(-FILES_SHOWN_MAX).map(sanitize)
  const files = last.length === 0 ? '' : `; it has edited ${last.join(', ')}`
  const both = edited.filter((path) => own.includes(path))
  return [
    { key: `session ${key}`, text: `${who} works in this directory${files}.` },
    ...both.map((path) => ({
      key: `edited ${key} ${path}`,
      text: `${who} has edited ${sanitize(path)} too, in this directory.`,
    })),
  ].slice(0, 1 + FILES_SHOWN_MAX)
}

function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 'hh:mm'.length)
}

/** Before a commit: the files that a session of another agent has edited, and none of the agent that commits. */
export function editedByOthers(
  files: readonly string[],
  sessions: readonly Presence[],
  agent: string | null,
): string[] {
  const own = new Set(sessions.filter((each) => each.agent === agent).flatMap(({ edited }) => edited))
  return files.flatMap((path) => {
    const other = sessions.find((each) => each.agent !== agent && each.edited.includes(path))
    return other === undefined || own.has(path)
      ? []
      : [`${sanitize(path)} was edited by the ${sanitize(other.agent)} session, not by you.`]
  })
}
