/** Adds to the answer of a check what was looked at in the clone, and what was not. */
import type { LookedAt, OverlapResult } from '../vocabulary/contract/overlap.ts'

export function withLookedAt(overlap: OverlapResult, looked_at: LookedAt): OverlapResult {
  const { sources, is_late, ...counts } = looked_at
  const { checked_against } = overlap
  const complete = checked_against.complete && !is_late
  return { ...overlap, checked_against: { ...checked_against, ...counts, complete }, sources }
}
