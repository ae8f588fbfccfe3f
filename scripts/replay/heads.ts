/** The heads of pull requests with their changed files, and the service's judgment of two of them. Pure. */

import type { FileChange } from '../../src/lines/change.ts'
import { namesOf } from '../../src/lines/change.ts'
import type { NoiseRules } from '../../src/lines/noise.ts'
import { type FileIndex, indexFiles, sharedFiles } from '../../src/lines/pair-verdict.ts'
import {
  type DigestedSide,
  digested,
  type Judgment,
  judge,
  type SharedFile,
} from '../../src/overlap/judge.ts'
import type { JudgedSideFile, Side } from '../../src/overlap/side.ts'
import { PAIR_COST_MAX } from './pairs.ts'
import type { PullRequest } from './pull-requests.ts'
import type { Revision } from './revisions.ts'

export interface Head extends DigestedSide {
  files: readonly JudgedSideFile[]
  index: FileIndex<JudgedSideFile>
}

/** A pull request with its files. */
export interface Changed extends PullRequest {
  /** Its last head. */
  last: Head
  /** In order of time, without those that were replaced before the replay starts. */
  revisions: (Revision & { changes: Head })[]
}

export interface JudgedHeads extends Judgment {
  /** The shared files that are not noise. */
  real: SharedFile[]
}

export function headOf(changes: readonly FileChange[], side: Omit<Side, 'files'>, noise: NoiseRules): Head {
  // The service does not know the merge base of a pull request.
  const files = changes.map((change) => ({ ...change, origin: 'pushed' as const, base_sha: null }))
  return { ...digested(side, files, noise), files, index: indexFiles(files) }
}

export type JudgeHeads = (yours: Head, theirs: Head) => JudgedHeads

/** Judges each two heads once. */
export function headJudge(noise: NoiseRules): JudgeHeads {
  const known = new WeakMap<Head, WeakMap<Head, JudgedHeads>>()
  return (yours, theirs) => {
    const judgments = known.get(yours) ?? new WeakMap<Head, JudgedHeads>()
    known.set(yours, judgments)
    const found = judgments.get(theirs) ?? judgeHeads(yours, theirs, noise)
    judgments.set(theirs, found)
    return found
  }
}

function judgeHeads(yours: Head, theirs: Head, noise: NoiseRules): JudgedHeads {
  const shared = sharedFiles(yours.index, theirs.files)
  const judgment = judge(yours, theirs, { shared, noise, budget: { remaining: PAIR_COST_MAX } })
  const noisy = new Set(judgment.files.filter(({ verdict }) => verdict === 'noise').map(({ path }) => path))
  return { ...judgment, real: shared.filter(({ path }) => !noisy.has(path)) }
}

/** The names under which pull requests of the same target branch meet. */
export function keysOf({ branch }: PullRequest, { files }: Head): Set<string> {
  return new Set(files.flatMap((file) => namesOf(file)).map((name) => `${branch} ${name}`))
}

/** A head of one, at any of its pushes, is among the commits that the other adds, or is a parent of one of them. */
export function isStacked(a: Changed, b: Changed): boolean {
  const isBeneath = (low: Changed, high: Changed) =>
    [low, ...low.revisions].some(({ head }) => high.own.has(head) || high.boundary.includes(head))
  return isBeneath(a, b) || isBeneath(b, a)
}
