/** Adds to the collisions of a repository the pairs of pull requests with which a proof failed. Pure. */
import { addTo } from '../base/lists.ts'
import type { FailedProof } from '../proofs/store.ts'
import { bySeverityAndAge } from './collisions.ts'
import type { RankedCollision } from './collisions-by-lines.ts'
import type { Linked } from './merge-order.ts'
import type { Stacks } from './stacks.ts'

/**
 * The collisions in their order: those between pull requests that fail together have the severity `high`, and each such pair
 * without a collision gets one.
 */
export function withFailedPairs(
  collisions: readonly RankedCollision[],
  failed: readonly FailedProof[],
  { participants, stacks }: { participants: readonly Linked[]; stacks: Stacks },
): RankedCollision[] {
  if (failed.length === 0) return [...collisions]
  const positions = new Map<number, number[]>()
  for (const [position, { pull_request }] of participants.entries())
    if (pull_request) addTo(positions, pull_request.number, position)
  const all = new Map(collisions.map((each) => [`${each.newer} ${each.older}`, each]))
  for (const failed_proof of failed) {
    const [one, other] = [failed_proof.first, failed_proof.second].map(
      (number) => positions.get(number) ?? [],
    )
    const pairs = (one ?? []).flatMap((a) =>
      (other ?? []).map((b) => ({ newer: Math.min(a, b), older: Math.max(a, b) })),
    )
    const known = pairs.flatMap(({ newer, older }) => all.get(`${newer} ${older}`) ?? [])
    const raised =
      known.length > 0 ? known : pairs.slice(0, 1).flatMap((pair) => newCollision(pair, participants, stacks))
    for (const each of raised)
      all.set(`${each.newer} ${each.older}`, { ...each, severity: 'high', failed_proof })
  }
  return [...all.values()].sort(bySeverityAndAge)
}

function newCollision(
  { newer, older }: Pick<RankedCollision, 'newer' | 'older'>,
  participants: readonly Linked[],
  stacks: Stacks,
): RankedCollision[] {
  const [one, other] = [participants[newer], participants[older]]
  if (!one || !other || stacks.areApart(one, other)) return []
  return [
    {
      newer,
      older,
      severity: 'high',
      areas: [],
      shared: [],
      files: [],
      by_lines: false,
      on_one_issue: false,
    },
  ]
}
