/** What a replay of shared numbers and parents finds out about pairs of pull requests. Pure. */
import type { TakenFinding } from '../../../src/vocabulary/finding-kinds.ts'
import type { PullRequest } from '../pull-requests.ts'
import type { Meeting } from './meetings.ts'
import type { Finding } from './truth.ts'

/** A pair that the rule names, by the heads at the time. */
export interface Told extends Meeting {
  findings: readonly Finding[]
}

/** A pair by all its heads that were live at the same time. */
export interface JudgedPair {
  told: Told | null
  /** What is really there twice, by any of its heads. */
  twice: { meeting: Meeting; finding: Finding; is_told: boolean }[]
  /** One renames or removes the parent of the other, by any of its heads. */
  is_gone: boolean
}

export interface Measured {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: PullRequest[]
  /** Pull requests of the period that take a number or a parent by one of their heads. */
  taking: PullRequest[]
  pairs: JudgedPair[]
}

/** Whether both are about one directory, or one below a root of Alembic. */
export function isNamed(
  { kind, directory }: Pick<TakenFinding, 'kind' | 'directory'>,
  finding: Finding,
): boolean {
  return (
    kind === finding.kind &&
    (directory === finding.directory || directory.startsWith(`${finding.directory}/`))
  )
}

/** Right if all that the rule names is really there twice, `unknown` if the tree does not show it. */
export function verdictOf({ sequence, findings }: Told): 'right' | 'wrong' | 'unknown' {
  const verdicts = sequence.map((named) => findings.find((each) => isNamed(named, each))?.verdict ?? 'once')
  if (verdicts.includes('once')) return 'wrong'
  return verdicts.every((verdict) => verdict === 'twice') ? 'right' : 'unknown'
}
