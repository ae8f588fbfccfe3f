/** What became of pairs that share a number or a parent, as far as the commits of a mirror show it. */
import { sharedTaken } from '../../../src/server/numbers/taken.ts'
import { rulesOf } from '../../../src/server/overlap/rules.ts'
import { DEFAULT_SETTINGS } from '../../../src/vocabulary/contract/settings.ts'
import type { Branch, Commit, Commits } from '../commits.ts'
import type { Git } from '../git.ts'
import type { Changed, Head } from '../heads.ts'
import type { Meeting } from './meetings.ts'

export const OUTCOMES = {
  before: 'a push gave the number or parent up before a merge',
  after: 'one was merged, and the other then gave it up by a push',
  repaired: 'both were merged, and a later commit on the base branch repaired it',
  both: 'both were merged, and both still hold it',
  given_up: 'one or both were closed without a merge',
  open: 'both are open, or one was merged and the other is open',
} as const
export type Outcome = keyof typeof OUTCOMES

export interface Ended {
  outcome: Outcome
  /** The subject of the commit that repaired it. */
  repair: string | null
}

const REPAIR =
  /renumber|merge heads|merge[_ ]migration|conflicting migration|migration conflict|multiple heads/i
const { numbers } = rulesOf(DEFAULT_SETTINGS, [])
/** Which directories are numbered was decided when the pair was told. */
const ANY = { ...numbers, isNumbered: () => true }

/** `told`: when the pair was told first. */
export async function endOf(
  git: Git,
  { commits, branches }: { commits: Commits; branches: readonly Branch[] },
  told: Meeting,
): Promise<Ended> {
  const [first, second] = [told.one.pr, told.other.pr].toSorted((a, b) => mergedAt(a) - mergedAt(b)) as [
    Changed,
    Changed,
  ]
  const since = Math.max(told.one.revision.at, told.other.revision.at)
  const merged = mergedAt(first)
  const places = new Set(told.sequence.map(({ directory, value }) => `${directory} ${value}`))
  const isShared = (one: Head, other: Head) =>
    sharedTaken(one.taking, other.taking, ANY).some((each) => places.has(`${each.directory} ${each.value}`))
  const [mine, its] = [first, second].map((pr) => headsOf(pr, since)) as [Timed[], Timed[]]
  const times = [...mine, ...its].map(({ at }) => at).filter((at) => at >= since && at < merged)
  if (times.some((at) => !isShared(headAt(mine, at), headAt(its, at))))
    return { outcome: 'before', repair: null }
  if (merged === Number.POSITIVE_INFINITY)
    return { outcome: first.is_open && second.is_open ? 'open' : 'given_up', repair: null }
  if (
    its.some(({ at, head }) => at >= merged && !isShared(first.last, head)) ||
    !isShared(first.last, second.last)
  )
    return { outcome: 'after', repair: null }
  if (second.merged === null) return { outcome: second.is_open ? 'open' : 'given_up', repair: null }
  const repair = await repairOf(git, { commits, branch: branches[second.branch] as Branch }, { told, second })
  return { outcome: repair === null ? 'both' : 'repaired', repair }
}

interface Timed {
  at: number
  head: Head
}

function headsOf(pr: Changed, since: number): Timed[] {
  const heads = pr.revisions.map(({ at, changes }) => ({ at, head: changes }))
  const before = heads.findLastIndex(({ at }) => at <= since)
  return heads.slice(Math.max(0, before))
}

function headAt(heads: readonly Timed[], at: number): Head {
  return (heads.findLast((each) => each.at <= at) ?? (heads[0] as Timed)).head
}

function mergedAt({ merged }: Changed): number {
  return merged?.at ?? Number.POSITIVE_INFINITY
}

/** The first later commit on the branch that renames, changes or removes one of the files, or says that it repairs them. */
async function repairOf(
  git: Git,
  { commits: { all }, branch: { chain } }: { commits: Commits; branch: Branch },
  { told: { sequence }, second }: { told: Meeting; second: Changed },
): Promise<string | null> {
  const merge = (all[chain[second.merged?.position ?? 0] as number] as Commit).sha
  const tip = (all[chain.at(-1) as number] as Commit).sha
  const directories = [...new Set(sequence.map(({ directory }) => directory))]
  const files = new Set(
    sequence.flatMap(({ directory, yours, theirs }) => [`${directory}/${yours}`, `${directory}/${theirs}`]),
  )
  const args = ['log', '--first-parent', '--reverse', '-m', '--name-only', '--no-renames', '-z']
  const range = ['--format=%x01%s', `${merge}..${tip}`, '--', ...directories]
  for await (const record of git.records([...args, ...range], '', '\x01')) {
    const [subject = '', ...paths] = record.split(/[\0\n]+/)
    if (REPAIR.test(subject) || paths.some((path) => files.has(path))) return subject
  }
  const tree = new Set((await git.text(['ls-tree', '-r', '-z', '--name-only', tip])).split('\0'))
  return [...files].every((path) => tree.has(path)) ? null : 'with the merge'
}
