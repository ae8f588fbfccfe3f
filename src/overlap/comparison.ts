/** What is compared by one check, and the bounds of the comparison (contract §6 and §11). */
import type { Budget } from '../base/budget.ts'
import type { RepoContext } from '../context/repo.ts'
import type { Proposal } from './compare.ts'
import type { Rules } from './rules.ts'
import type { JudgedSideFile, Side } from './side.ts'

export interface Comparison {
  ctx: RepoContext
  /** The ids of the activities that are checked, if they exist. They are left out. */
  self: string[]
  branch: string | null
  base_branch: string | null
  rules: Rules
  proposal: Proposal
  side: Side
  /** The files of `side` with their digests. */
  readFiles: (budget: Budget) => Promise<JudgedSideFile[]>
  /** One budget for each kind of record, so that neither kind can use up the other's. */
  budgets: { activities: Budget; notables: Budget }
  /** Yields to other requests when it is time to. */
  pause: () => Promise<void>
}
