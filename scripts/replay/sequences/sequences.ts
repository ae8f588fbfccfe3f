/** Measures on a mirror how well shared numbers and parents are found (docs/research/numbers.md). */
import { type ReplayOptions, readHistory, withMirror } from '../history.ts'
import { isNamed, type JudgedPair, type Measured } from './judged.ts'
import { type Meeting, meet } from './meetings.ts'
import { type Finding, judge } from './truth.ts'

export function replaySequences(directory: string, options: ReplayOptions): Promise<Measured> {
  const { report } = options
  return withMirror(directory, async (git, mirror) => {
    const { commits, branches, since, until, changed } = await readHistory(mirror, git, options)
    const { pairs, taking } = meet(changed, { branches, since })
    const meetings = pairs.flat()
    report(`${meetings.length} pairs of heads add files to one directory`)
    const results = await judge(git, { commits, branches }, meetings)
    const findings = new Map(meetings.map((meeting, at) => [meeting, results[at] as Finding[]]))
    const findingsOf = (meeting: Meeting) => findings.get(meeting) ?? []
    return {
      since,
      until,
      pull_requests: changed.filter(({ opened }) => opened >= since),
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
