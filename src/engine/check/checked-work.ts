/** What a check compares with all other work, its rules and its limits. */

import type { Budget } from '../../vocabulary/budget.ts'
import type { DigestedFile, Side } from '../kinds/side.ts'
import type { Proposal } from './compare.ts'
import type { Rules } from './rules.ts'
import type { CheckContext } from './source.ts'

export interface CheckedWork {
  ctx: CheckContext
  /** The ids of the checked activities, if they exist. They are excluded. */
  self: string[]
  branch: string | null
  /** The pull requests of these activities. */
  pull_requests: ReadonlySet<number>
  base_branch: string | null
  rules: Rules
  proposal: Proposal
  side: Side
  /** The files of `side` with their digests. */
  readFiles: (budget: Budget) => Promise<DigestedFile[]>
  /** Of comparing paths. */
  budget: Budget
  /** Yields to other requests if the last yield was a while ago. */
  pause: () => Promise<void>
}
