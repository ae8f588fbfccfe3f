/** Which of two pieces of work is closer to its merge. Pure. */

export type Stage = 'declared' | 'draft' | 'ready' | 'queued'

/** The stage of work by its pull request; whether that is in the merge queue is not known here. */
export function stageOf({ pr_url, draft_pr }: { pr_url: string | null; draft_pr: boolean }): Stage {
  if (pr_url === null) return 'declared'
  return draft_pr ? 'draft' : 'ready'
}

const STAGE: Record<Stage, number> = { declared: 0, draft: 1, ready: 2, queued: 3 }

interface Standing {
  stage: Stage
  since: Date
  /** The number of the pull request; null if there is none. */
  number: number | null
}

/**
 * Whether `one` is closer to its merge than `other`, by stage: in the merge queue, ready, draft, no pull request. In the same
 * stage, the one that was opened first is closer, and then the one with the lower number.
 */
export function isAhead(one: Standing, other: Standing): boolean {
  const byStage = STAGE[one.stage] - STAGE[other.stage]
  const byTime = other.since.getTime() - one.since.getTime()
  const byNumber = (other.number ?? Number.MAX_SAFE_INTEGER) - (one.number ?? Number.MAX_SAFE_INTEGER)
  return (byStage || byTime || byNumber) > 0
}
