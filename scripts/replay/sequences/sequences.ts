/** Measures on a mirror how well shared numbers and parents are found (docs/numbers.md). */
import type { Commit, Commits } from '../commits.ts'
import { type Git, scratchOf } from '../git.ts'
import { type ReplayOptions, readPeriod } from '../history.ts'
import { openMirror } from '../mirror.ts'
import type { Played } from '../play.ts'
import type { PullRequest } from '../pull-requests.ts'
import { readChanges } from '../read-changes.ts'
import { isNamed, type JudgedPair, type Measured } from './judged.ts'
import { type Meeting, meet } from './meetings.ts'
import { endOf } from './outcomes.ts'
import { type Finding, judge } from './truth.ts'

/** Files with a digit in their names, or in that of a directory. The others take no number, and hardly a parent. */
const NUMBERED = [':(glob)**/*[0-9]*']

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replaySequences(directory: string, options: ReplayOptions): Promise<Measured> {
  const { report } = options
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    const { pull_requests, ...period } = await readPeriod(mirror, git, options)
    const { commits, branches, since, until } = period
    const numbered = await addingNumbers(git, commits, pull_requests)
    report(`${numbered.length} of ${pull_requests.length} pull requests add a file with a digit in its name`)
    const changed = await readChanges({ git, mirror, ...period, paths: NUMBERED }, numbered)
    const { played, pairs, taking } = meet(changed, { branches, since })
    const meetings = pairs.flat()
    report(`${meetings.length} pairs of heads add files to one directory`)
    const results = await judge(git, { commits, branches }, meetings)
    const findings = new Map(meetings.map((meeting, at) => [meeting, results[at] as Finding[]]))
    const judged: JudgedPair[] = []
    for (const pair of pairs) {
      const named = pair.find(({ sequence }) => sequence.length > 0)
      const told = named && {
        ...named,
        findings: findings.get(named) ?? [],
        end: await endOf(git, { commits, branches }, named),
        commented: commentedOf(played, named),
      }
      const twice = pair.flatMap((meeting) => twiceOf(meeting, findings.get(meeting) ?? []))
      const is_gone = pair.some((meeting) => findings.get(meeting)?.some(({ verdict }) => verdict === 'gone'))
      judged.push({ told: told ?? null, twice, is_gone })
    }
    const counted = pull_requests.filter(({ opened }) => opened >= since)
    return {
      since,
      until,
      pull_requests: counted,
      commented: played.comments.map(({ on }) => on).filter((pr) => pr.opened >= since && !pr.is_bot).length,
      taking: [...taking].filter(({ opened }) => opened >= since),
      pairs: judged,
    }
  } finally {
    await git.remove()
  }
}

function twiceOf(meeting: Meeting, findings: readonly Finding[]): JudgedPair['twice'] {
  return findings
    .filter(({ verdict }) => verdict === 'twice')
    .map((finding) => ({
      meeting,
      finding,
      is_told: meeting.sequence.some((each) => isNamed(each, finding)),
    }))
}

/** The numbers of the pull requests of the pair that a comment told of the other one. */
function commentedOf({ comments }: Played, { one, other }: Meeting): number[] {
  const tells = (on: PullRequest, of: PullRequest) =>
    comments.some((comment) => comment.on.n === on.n && comment.named.has(of.n))
  return [...(tells(one.pr, other.pr) ? [one.pr.n] : []), ...(tells(other.pr, one.pr) ? [other.pr.n] : [])]
}

/** The pull requests of which a commit adds a file with a digit in its name: the others take no number, and hardly a parent. */
async function addingNumbers(
  git: Git,
  { all }: Commits,
  pull_requests: readonly PullRequest[],
): Promise<PullRequest[]> {
  const own = new Set(pull_requests.flatMap((pr) => [...pr.own]))
  const ids = [...own].map((at) => `${(all[at] as Commit).sha}\n`)
  const adding = new Set<string>()
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '-z',
    '--no-renames',
    '--diff-filter=A',
    '--name-only',
    '--always',
  ]
  let sha = ''
  for await (const field of git.records(args, ids.join(''), '\0')) {
    if (/^[0-9a-f]{40,64}$/.test(field)) sha = field
    else if (/\d[^/]*$/.test(field)) adding.add(sha)
  }
  return pull_requests.filter((pr) => [...pr.own].some((at) => adding.has((all[at] as Commit).sha)))
}
