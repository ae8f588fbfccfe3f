/** The heads of pull requests with their changed files, and the service's comparison of two of them. Pure. */

import { rulesOf } from '../../src/engine/check/compare.ts'
import { indexedSide } from '../../src/engine/check/sides.ts'
import { type Comparison, compareSides, type IndexedSide, type Intent } from '../../src/engine/kinds/kinds.ts'
import { type FileChange, namesOf, sharedFiles } from '../../src/engine/lines/change.ts'
import type { NoiseRules } from '../../src/engine/lines/noise.ts'
import type { FilePair } from '../../src/engine/lines/pair-verdict.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { findingOf } from '../../src/vocabulary/finding.ts'
import type { Finding, FindingOf } from '../../src/vocabulary/finding-kinds.ts'
import { atOnce } from '../../test/support/steps.ts'
import { DAY, type PullRequest } from './pull-requests.ts'
import type { Revision } from './revisions.ts'

/** For how long a push keeps work live, in seconds. */
export const LIVE_S = DEFAULT_SETTINGS.comment.stale_after_days * DAY

export type Head = IndexedSide

/** A pull request with its files. */
export interface Changed extends PullRequest {
  /** Its last head. */
  last: Head
  /** In order of time, without those that were replaced before the replay starts. */
  revisions: (Revision & { changes: Head })[]
}

export interface ComparedHeads extends Comparison {
  /** The verdict of the pair; undefined if they share no file. */
  lines: FindingOf<'lines'> | undefined
  /** The shared files that are not noise. */
  real: FilePair[]
}

const { numbers } = rulesOf(DEFAULT_SETTINGS, [])

export function headOf(changes: readonly FileChange[], side: Intent, noise: NoiseRules): Head {
  // The service does not know the merge base of a pull request.
  const files = changes.map((change) => ({ ...change, origin: 'pushed' as const, base_sha: null }))
  const names = { has: () => true }
  return atOnce(indexedSide(side, files, { names, rules: { noise, numbers } }))
}

/** `shared`: the files to compare; by default all that both change. */
export function compareHeads(
  yours: Head,
  theirs: Head,
  { noise, shared = sharedFiles(yours.index, theirs.files) }: { noise: NoiseRules; shared?: FilePair[] },
): ComparedHeads {
  const options = { shared, noise, numbers, deadline: noise.deadline }
  const comparison = atOnce(compareSides(yours, theirs, options))
  const noisy = new Set(comparison.files.filter(({ verdict }) => verdict === 'noise').map(({ path }) => path))
  const lines = findingOf(comparison.findings, 'lines')
  return { ...comparison, lines, real: shared.filter(({ path }) => !noisy.has(path)) }
}

/** Both seem to do the same work. */
export function duplicatesIn({ findings }: Pick<Comparison, 'findings'>): Finding[] {
  return findings.filter(({ kind }) => kind === 'duplicate' || kind === 'issue')
}

/** What pull requests of the same target branch meet by: the names of their files. */
export function keysOf({ branch }: PullRequest, { files }: Head): Set<string> {
  return new Set(files.flatMap((file) => namesOf(file)).map((name) => `${branch} ${name}`))
}

/** A head of one, at any of its pushes, is among the commits that the other adds, or is a parent of one of them. */
export function isStacked(a: Changed, b: Changed): boolean {
  return isBeneath(a, b) || isBeneath(b, a)
}

/** A head of `low`, at any of its pushes, is among the commits that `high` adds, or is a parent of one of them. */
export function isBeneath(low: Changed, high: Changed): boolean {
  return [low, ...low.revisions].some(({ head }) => high.own.has(head) || high.boundary.includes(head))
}

/** A push, or with `revision` null an end. */
export interface HistoryEvent {
  at: number
  pr: Changed
  revision: Changed['revisions'][number] | null
}

/** In order of time: an end comes before a push of the same time, a lower number before a higher one. */
export function eventsOf(changed: readonly Changed[]): HistoryEvent[] {
  const events = changed.flatMap((pr): HistoryEvent[] => [
    ...pr.revisions.filter(({ at }) => at < pr.ended).map((revision) => ({ at: revision.at, pr, revision })),
    ...(Number.isFinite(pr.ended) ? [{ at: pr.ended, pr, revision: null }] : []),
  ])
  const isPush = ({ revision }: HistoryEvent) => Number(revision !== null)
  return events.sort((a, b) => a.at - b.at || isPush(a) - isPush(b) || a.pr.n - b.pr.n)
}
