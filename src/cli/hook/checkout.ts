/** What other sessions do in the very same directory (docs/contract/local.md#this-checkout). Pure. */
import { sanitize } from '../../vocabulary/others-text.ts'
import type { Session } from '../local-state.ts'
import { hasNewContext, type Situation } from './plan.ts'

/** A session that wrote nothing for so long has ended without its last hook. */
const PRESENT_MS = 1_800_000
const EDITED_MAX = 200
const FILES_SHOWN_MAX = 3
const SHA_SHOWN = 7

/** What the hooks of a session leave for those of others in its directory. */
export type Presence = Pick<
  Session,
  'agent' | 'branch' | 'since' | 'at' | 'head' | 'is_at_rest' | 'edited' | 'told'
>

interface Here {
  branch: string | null
  /** The commit that is checked out; null before the first one. */
  head: string | null
}

/** The presence of a session after this hook, and what it hears, each thing once. `others`: the sessions of the directory. */
export function checkoutNews(
  before: Presence,
  others: readonly (Presence & { key: string })[],
  { situation, here }: { situation: Situation; here: Here },
): { presence: Presence; sentences: string[] } {
  const { now, is_heard, agent, edits, event } = situation
  const present = others.filter(({ at }) => now - at < PRESENT_MS)
  const edited = [...new Set([...before.edited, ...edits])].slice(-EDITED_MAX)
  const heard = hasNewContext(situation) ? [] : before.told
  const facts = [
    ...moved(before, here, present.length > 0),
    ...present.flatMap((other) => besides(other, edited)),
  ].filter(({ key }) => !heard.includes(key))
  const told = is_heard ? facts : []
  // What the session does between a prompt and its end is its own, and cannot be told from what another one does meanwhile.
  const isKnown = is_heard || event === 'stop'
  const presence = {
    ...{ agent, edited, at: now, since: before.since || now, branch: here.branch },
    head: isKnown ? here.head : before.head,
    is_at_rest: event === 'stop' || event === 'session-start',
    told: [...heard, ...told.map(({ key }) => key)].slice(-EDITED_MAX),
  }
  return { presence, sentences: told.map(({ text }) => text) }
}

interface Fact {
  key: string
  text: string
}

function moved({ branch, head, is_at_rest, since }: Presence, here: Here, isShared: boolean): Fact[] {
  if (since === 0) return []
  const [from, to] = [branch, here.branch].map((name) => (name === null ? 'a commit' : sanitize(name)))
  if (branch !== here.branch)
    return isShared || is_at_rest
      ? [
          {
            key: `switch ${from} ${to} ${here.head}`,
            text: `This directory was switched from ${from} to ${to}.`,
          },
        ]
      : []
  if (!is_at_rest || head === null || head === here.head) return []
  const [before, after] = [head, here.head ?? ''].map((sha) => sha.slice(0, SHA_SHOWN))
  return [
    { key: `move ${after}`, text: `${to} moved from ${before} to ${after} by a commit that is not yours.` },
  ]
}

/** That another session is here, and which of the files of this one it has edited too. */
function besides({ key, agent, since, edited }: Presence & { key: string }, own: readonly string[]): Fact[] {
  const who = `another session (${sanitize(agent)}, since ${timeOf(since)})`
  const last = edited.slice(-FILES_SHOWN_MAX).map(sanitize)
  const files = last.length === 0 ? '' : `; it has edited ${last.join(', ')}`
  const both = edited.filter((path) => own.includes(path))
  return [
    { key: `session ${key}`, text: `A${who.slice(1)} works in this directory${files}.` },
    ...both.map((path) => ({
      key: `edited ${key} ${path}`,
      text: `A${who.slice(1)} has edited ${sanitize(path)} too, in this directory.`,
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
  agent: string,
): string[] {
  const own = new Set(sessions.filter((each) => each.agent === agent).flatMap(({ edited }) => edited))
  return files.flatMap((path) => {
    const other = sessions.find((each) => each.agent !== agent && each.edited.includes(path))
    return other === undefined || own.has(path)
      ? []
      : [`${sanitize(path)} was edited by the ${sanitize(other.agent)} session, not by you.`]
  })
}
