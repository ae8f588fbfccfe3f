/** Which live activities are one's own or belong to one's stack of branches (contract §6, relationships). */
import { type BranchLink, listLinks } from '../activities/live-store.ts'
import type { RepoContext } from '../context/repo.ts'
import type { Relationship } from './overlap.ts'

/** Branches that are followed at most, in each direction, and activities that are read at each step. */
const BRANCHES_MAX = 1000
const LINKS_MAX = 10_000

export type Expected = Map<string, Exclude<Relationship, 'collision'>>

/**
 * Follows `base_branch` → `branch` from the work in both directions, over any number of steps. Two works that merely
 * share a base are not stacked, so a step never turns around. `self` is left out.
 */
export async function expectedOf(
  ctx: RepoContext,
  work: { self: string[]; branch: string | null; base_branch: string | null },
): Promise<Expected> {
  const { branch, base_branch } = work
  const own = branch === null ? [] : await links(ctx, 'branch', [branch])
  const bases = [base_branch, ...own.map((link) => link.base_branch)]
  const below = await follow(ctx, { from: bases, by: 'branch', towards: 'base_branch', stop: branch })
  const above = await follow(ctx, { from: [branch], by: 'base_branch', towards: 'branch', stop: null })
  const expected: Expected = new Map()
  for (const link of own) expected.set(link.id, 'own')
  for (const link of [...below, ...above]) if (!expected.has(link.id)) expected.set(link.id, 'stacked')
  for (const id of work.self) expected.delete(id)
  return expected
}

interface Walk {
  from: (string | null)[]
  /** The column that a step looks names up in, and the one whose names it goes on with. */
  by: 'branch' | 'base_branch'
  towards: 'branch' | 'base_branch'
  /** A branch that is known already. */
  stop: string | null
}

async function follow(ctx: RepoContext, walk: Walk): Promise<BranchLink[]> {
  const seen = new Set<string | null>([null, walk.stop])
  const found: BranchLink[] = []
  let names = fresh(walk.from, seen)
  while (names.length > 0 && seen.size < BRANCHES_MAX) {
    const step = await links(ctx, walk.by, names)
    found.push(...step)
    names = fresh(
      step.map((link) => link[walk.towards]),
      seen,
    )
  }
  return found
}

/** The names that were not seen before; they are now. */
function fresh(names: (string | null)[], seen: Set<string | null>): string[] {
  return names.filter((name): name is string => {
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

function links(ctx: RepoContext, by: 'branch' | 'base_branch', names: string[]): Promise<BranchLink[]> {
  return listLinks(ctx.db, ctx.repo.id, { now: ctx.now, by, names, limit: LINKS_MAX })
}
