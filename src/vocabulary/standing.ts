/** The stage of work, and which of two pieces of work is closer to its merge. Pure. */

export type Stage = 'declared' | 'draft' | 'ready' | 'queued'

/** The stage of work by its pull request; whether that is in the merge queue is not known here. */
export function stageOf({ pr_url, draft_pr }: { pr_url: string | null; draft_pr: boolean }): Stage {
  if (pr_url === null) return 'declared'
  return draft_pr ? 'draft' : 'ready'
}

/** The farthest from its merge first. `sentence`: the predicate of a sentence. */
export const STAGE_WORDS: Record<Stage, { rank: number; label: string; sentence: string }> = {
  declared: { rank: 0, label: 'no pull request yet', sentence: 'has no pull request yet' },
  draft: { rank: 1, label: 'draft', sentence: 'is a draft' },
  ready: { rank: 2, label: 'ready', sentence: 'is ready for review' },
  queued: { rank: 3, label: 'in the merge queue', sentence: 'is in the merge queue' },
}

/** Why `who` goes first: `#1 was opened first`, or `#1 is ready for review and goes first`. */
export function whyFirst(who: string, stage: Stage, other: Stage): string {
  if (stage !== other) return `${who} ${STAGE_WORDS[stage].sentence} and goes first`
  return `${who} ${stage === 'declared' ? 'began' : 'was opened'} first`
}

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
  const byStage = STAGE_WORDS[one.stage].rank - STAGE_WORDS[other.stage].rank
  const byTime = other.since.getTime() - one.since.getTime()
  const byNumber = (other.number ?? Number.MAX_SAFE_INTEGER) - (one.number ?? Number.MAX_SAFE_INTEGER)
  return (byStage || byTime || byNumber) > 0
}
