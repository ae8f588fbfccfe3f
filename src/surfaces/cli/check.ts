/** `deconflict check`: whether what one is about to do overlaps with others' work. */
import type { OutputOf } from '../../operations/contract.ts'
import { announcedHere, withoutOwn } from './own.ts'
import type { Place } from './place.ts'
import { type Names, namesOf, overlapLines } from './record-text.ts'
import { type CommonOptions, openSession, type ScopeOptions, type Session, scopeOf } from './session.ts'
import { plain } from './terminal.ts'
import { EXIT, type ExitCode, type World } from './world.ts'

export interface CheckOptions extends CommonOptions, ScopeOptions {
  tag?: string[]
  block?: boolean
}

/** Answers the exit code. With `staged`, as before a push, only `block` makes it another one than 0. */
export async function check(world: World, options: CheckOptions): Promise<ExitCode> {
  const never = options.staged === true && options.block !== true
  try {
    const session = await openSession(world, options)
    const { client, at, place } = session
    const scope = await scopeOf(place, options)
    const { own_branch: branch, base_branch } = place
    const answer = await client.checkOverlap({
      ...at,
      input: { scope, branch, base_branch, tags: options.tag ?? [] },
    })
    const overlap = branch === null ? withoutOwn(answer, await announcedHere(place)) : answer
    const names = options.json ? new Map() : await namesIn(session, overlap)
    session.show(overlap, () => [
      ...(scope === undefined ? [nothingTouched(place)] : []),
      ...overlapLines(overlap, names, session.look),
    ])
    return overlap.overlap_detected && !never ? EXIT.overlap : EXIT.clear
  } catch (error) {
    if (!never) throw error
    world.stderr.write(`deconflict: not checked: ${(error as Error).message}\n`)
    return EXIT.clear
  }
}

/** That nothing was found is not to look like that nothing was looked at. */
function nothingTouched({ own_branch, diff_base }: Place): string {
  const announced = own_branch === null ? '' : `, besides what is announced on ${plain(own_branch)}`
  return `Nothing is changed here${diff_base ? ` against ${plain(diff_base)}` : ''}, so no paths were compared${announced}; --paths names what you intend.`
}

/** The names of what overlaps, for which the newest of both lists are read; a result without them is one too. */
export async function namesIn(
  { client, at }: Session,
  { overlap_detected }: OutputOf<'checkOverlap'>,
): Promise<Names> {
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
  return namesOf(activities, notables)
}
