/** `deconflict check`: whether what one is about to do overlaps with others' work. */
import type { OutputOf } from '../../operations/contract.ts'
import { type Names, namesIn, overlapLines } from './overlap-text.ts'
import { announcedHere, withoutOwn } from './own.ts'
import type { Place } from './place.ts'
import { type CommonOptions, openSession, type ScopeOptions, type Session, scopeOf } from './session.ts'
import { plain } from './terminal.ts'
import { EXIT, type ExitCode, type World } from './world.ts'

type Overlap = OutputOf<'checkOverlap'>

export interface CheckOptions extends CommonOptions, ScopeOptions {
  tag?: string[]
  block?: boolean
}

/** A push waits for no longer, from the start of the process on; a slow start leaves the least. */
const STAGED_MAX_MS = 2400
const STAGED_LEAST_MS = 500

/** Answers the exit code. With `staged`, as before a push, only `block` makes it another one than 0. */
export async function check(world: World, options: CheckOptions): Promise<ExitCode> {
  const never = options.staged === true && options.block !== true
  try {
    const session = await openSession(world, options, options.staged ? beforePush(world) : {})
    const { client, at, place } = session
    const scope = await scopeOf(place, options)
    const { own_branch: branch, base_branch } = place
    const answer = await client.checkOverlap({
      ...at,
      input: { scope, branch, base_branch, tags: options.tag ?? [] },
    })
    const overlap = branch === null ? withoutOwn(answer, await announcedHere(place)) : answer
    const names = options.json ? new Map() : await namesOf(session, overlap)
    session.show(overlap, () => [
      ...(scope === undefined ? [instead(place, overlap, options)] : []),
      ...(isUnscoped(overlap, scope) ? [] : overlapLines(overlap, names, session.look)),
    ])
    return overlap.overlap_detected && !never ? EXIT.overlap : EXIT.clear
  } catch (error) {
    if (!never) throw error
    world.stderr.write(`deconflict: not checked: ${(error as Error).message}\n`)
    return EXIT.clear
  }
}

function beforePush({ uptime_ms }: World) {
  return { attempts: 1, budget_ms: Math.max(STAGED_LEAST_MS, STAGED_MAX_MS - uptime_ms()) }
}

/** Says that git names no files, and what was compared instead: the service knows what is announced on the branch. */
function instead(place: Place, { checked_against }: Overlap, { tag = [] }: CheckOptions): string {
  const isByBranch = place.own_branch !== null && tag.length === 0 && checked_against.activities > 0
  return isByBranch
    ? `Compared what is announced on ${plain(place.own_branch as string)}: ${whyNothing(place)}.`
    : `${nothingTouched(place)} --paths names what you intend to touch.`
}

/** Says that git names no files. */
export function nothingTouched(place: Place): string {
  return `No files were compared: ${whyNothing(place)}.`
}

function whyNothing({ diff_base }: Place): string {
  return diff_base ? `nothing differs from ${plain(diff_base)} yet` : 'nothing is changed yet'
}

/** Whether there was nothing to compare; what is announced on the branch stands in for a scope that is not given. */
export function isUnscoped(
  { overlap_detected, checked_against }: Overlap,
  scope: object | undefined,
): boolean {
  return scope === undefined && !overlap_detected && checked_against.activities === 0
}

/** The names of what overlaps, for which the newest of both lists are read; a result without them is one too. */
export async function namesOf({ client, at }: Session, { overlap_detected }: Overlap): Promise<Names> {
  if (!overlap_detected) return new Map()
  const input = { limit: 100 }
  const [activities, notables] = await Promise.all([
    client.listActivities({ ...at, input }).then(
      ({ items }) => items,
      () => [],
    ),
    client.listNotables({ ...at, input }).then(
      ({ items }) => items,
      () => [],
    ),
  ])
  return namesIn(activities, notables)
}
