/** What runs of the base, of each side and of the merge say about a pair (docs/contract/proofs.md#run). */
import type { ProofResult } from '../../vocabulary/contract/proof.ts'

/** Whether the command passes on the base with these commits merged into it; null if git cannot merge them. */
export type Passes = (heads: readonly string[]) => Promise<boolean | null>

/**
 * The result of a pair; null if git cannot merge it. The merge is run first, and the others only if it fails, because most
 * pairs pass.
 */
export async function proveHeads(
  heads: readonly [string, string],
  passes: Passes,
): Promise<ProofResult | null> {
  const merged = await passes(heads)
  if (merged === null) return null
  if (merged) return 'passed'
  if (!(await passes([]))) return 'base_failed'
  for (const head of heads) if (!(await passes([head]))) return 'side_failed'
  return 'failed'
}

/** A failure counts only if it happens twice, because commands can be flaky. */
export async function twice(run: () => Promise<boolean | null>): Promise<boolean | null> {
  const first = await run()
  return first === false ? run() : first
}
