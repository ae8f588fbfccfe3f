/** Measures on a mirror how well shared numbers and parents are found (docs/research/numbers.md). */
import type { Commit, Commits } from '../commits.ts'
import type { Git } from '../git.ts'
import { type ReplayOptions, readPeriod, withMirror } from '../history.ts'
import type { PullRequest } from '../pull-requests.ts'
import { readChanges } from '../read-changes.ts'
import { isNamed, type JudgedPair, type Measured } from './judged.ts'
import { type Meeting, meet } from './meetings.ts'
import { type Finding, judge } from './truth.ts'

/** Files with a digit in their names, or in that of a directory. The others take no number, and hardly a parent. */
const NUMBERED = [':(glob)**/*[0-9]*']

export function replaySequences(directory: string, options: ReplayOptions): Promise<Measured> {
  const { report } = options
  return withMirror(directory, async (git, mirror) => {
    const { pull_requests, ...period } = await readPeriod(mirror, git, options)
    const { commits, branches, since, until } = period
    const numbered = await addingNumbers(git, commits, pull_requests)
    report(`${numbered.length} of ${pull_requests.length} pull requests add a file with a digit in its name`)
    const changed = await readChanges({ git, mirror, ...period, paths: NUMBERED }, numbered)
    const { pairs, taking } = meet(changed, { branches, since })
    const meetings = pairs.flat()
    report(`${meetings.length} pairs of heads add files to one directory`)
    const results = await judge(git, { commits, branches }, meetings)
    const findings = new Map(meetings.map((meeting, at) => [meeting, results[at] as Finding[]]))
    const findingsOf = (meeting: Meeting) => findings.get(meeting) ?? []
    return {
      since,
      until,
      pull_requests: pull_requests.filter(({ opened }) => opened >= since),
      taking: [...taking].filter(({ opened }) => opened >= since),
      pairs: pairs.map((pair): JudgedPair => {
        const named = pair.find(({ sequence }) => sequence.length > 0)
        return {
          told: named ? { ...named, findings: findingsOf(named) } : null,
          twice: pair.flatMap((meeting) => twiceOf(meeting, findingsOf(meeting))),
          is_gone: pair.some((meeting) => findingsOf(meeting).some(({ verdict }) => verdict === 'gone')),
        }
      }),
    }
  })
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

/** The pull requests of which a commit adds a file with a digit in its name: the others take no number, and hardly a parent. */
async function addingNumbers(
  git: Git,
  { all }: Commits,
  pull_requests: readonly PullRequest[],
): Promise<PullRequest[]> {
  const own = new Set(pull_requests.flatMap((pr) => [...pr.own]))
  const ids = [...own].map((at) => `${(all[at] as Commit).sha}\n`)
  const adding = new Set<string>()
  const names = ['-r', '-z', '--no-renames', '--diff-filter=A', '--name-only', '--always']
  let sha = ''
  for await (const field of git.records(['diff-tree', '--stdin', ...names], ids.join(''), '\0')) {
    if (/^[0-9a-f]{40,64}$/.test(field)) sha = field
    else if (/\d[^/]*$/.test(field)) adding.add(sha)
  }
  return pull_requests.filter((pr) => [...pr.own].some((at) => adding.has((all[at] as Commit).sha)))
}
