/** How many pairs of a real history fail together, chosen and at random, as Markdown. Pure. */
import { PAIR_REASONS, type ProofResult } from '../../src/vocabulary/contract/proof.ts'
import { table } from '../replay/markdown.ts'
import type { Candidate } from './candidates.ts'

/** `conflict`: git cannot merge them into the base. */
export type SampleResult = ProofResult | 'conflict'

export interface ProvedSample extends Pick<Candidate, 'group' | 'reason' | 'pull_requests'> {
  result: SampleResult
}

export function sampleTable(proved: readonly ProvedSample[]): string {
  const rowOf = (name: string, pairs: readonly ProvedSample[]) => {
    const count = (wanted: SampleResult) => pairs.filter(({ result }) => result === wanted).length
    const [passed, failed] = [count('passed'), count('failed')]
    const others = [count('conflict'), count('base_failed'), count('side_failed'), passed, failed]
    return [name, pairs.length, ...others, shareOf(failed, passed + failed)].map(String)
  }
  const ofReason = (reason: Candidate['reason']) => proved.filter((each) => each.reason === reason)
  const reasons = PAIR_REASONS.filter((reason) => ofReason(reason).length > 0)
  const groups = (['chosen', 'random'] as const).map((group) =>
    rowOf(
      group,
      proved.filter((each) => each.group === group),
    ),
  )
  return [
    table(
      [
        'pairs',
        'drawn',
        'git cannot merge',
        'base fails',
        'a side fails',
        'pass',
        'fail together',
        'of those decided',
      ],
      [...groups, ...reasons.map((reason) => rowOf(`\`${reason}\``, ofReason(reason)))],
    ),
    '',
    ...proved
      .filter(({ result }) => result === 'failed')
      .map(
        ({ pull_requests: [one, other], reason }) =>
          `#${one} and #${other} fail together (${reason ?? 'random'}).`,
      ),
  ].join('\n')
}

/** A share with its limits at 95 % by Wilson's interval; the upper limit alone if there is none. */
export function shareOf(part: number, whole: number): string {
  if (whole === 0) return '–'
  const [low, high] = wilson(part, whole)
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`
  return part === 0
    ? `0 % (up to ${percent(high)})`
    : `${percent(part / whole)} (${percent(low)} to ${percent(high)})`
}

const Z = 1.96

export function wilson(part: number, whole: number): [low: number, high: number] {
  const share = part / whole
  const scale = 1 + Z ** 2 / whole
  const middle = (share + Z ** 2 / (2 * whole)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / whole + Z ** 2 / (4 * whole ** 2))
  return [middle - half, middle + half]
}
