/** Decides exactly what the index alone cannot: patterns, each once, and paths that the settings may ignore (contract §6). */
import { listScopesOf } from '../activities/live-store.ts'
import type { Budget } from '../base/budget.ts'
import { globOf, TRUNCATED } from '../claims/claim.ts'
import { listNotableScopes } from '../notables/store.ts'
import type { Glob } from '../scope/glob.ts'
import { pairsBetween } from '../scope/path-set.ts'
import { compare, storedScopeOf } from './compare.ts'
import type { Comparison } from './find.ts'
import type { Decided, Key } from './search.ts'

export interface Verdict extends Decided {
  is_overlap: boolean
}

export interface Decision {
  /** All that was decided, in the order of the keys. */
  verdicts: Verdict[]
  /** False when the budget ran out before the last one. */
  complete: boolean
}

interface Work extends Pick<Comparison, 'ctx' | 'proposal' | 'rules' | 'pause'> {
  budget: Budget
}

/** Whole scopes that are read at once: each may be large. */
const SCOPES_AT_ONCE = 10

/** Decides keys in their order, until the budget is spent: that of activities or of notables, so that neither kind keeps the other from being looked at. */
export async function decide(comparison: Comparison, keys: Key[]): Promise<Decision> {
  const all: Decision = { verdicts: [], complete: true }
  for (const isNotable of [false, true]) {
    const budget = isNotable ? comparison.budgets.notables : comparison.budgets.activities
    const some = keys.filter((key) => key.is_notable === isNotable)
    const { verdicts, complete } = await decideAll({ ...comparison, budget }, some)
    all.verdicts.push(...verdicts)
    all.complete &&= complete
  }
  return all
}

async function decideAll(work: Work, keys: Key[]): Promise<Decision> {
  const globs = await decideGlobs(
    work,
    keys.filter(({ kind }) => kind !== TRUNCATED),
  )
  if (!globs.complete) return globs
  const whole = await decideWhole(
    work,
    keys.filter(({ kind }) => kind === TRUNCATED),
  )
  return { verdicts: [...globs.verdicts, ...whole.verdicts], complete: whole.complete }
}

async function decideGlobs({ proposal, rules, budget, pause }: Work, keys: Key[]): Promise<Decision> {
  const verdicts: Verdict[] = []
  const known = new Map<string, boolean>()
  for (const key of keys) {
    let is_overlap = key.glob === '' ? undefined : known.get(key.glob)
    if (is_overlap === undefined) {
      const glob = globOf(key, budget) as Glob
      is_overlap = pairsBetween(proposal.paths, [glob], { max: 1, budget, ignore: rules.ignore }).length > 0
      if (!is_overlap && budget.remaining < 0) return { verdicts, complete: false }
      known.set(key.glob, is_overlap)
      await pause()
    }
    verdicts.push({ ...key, is_overlap, by_path: true })
  }
  return { verdicts, complete: true }
}

async function decideWhole({ ctx, proposal, rules, budget, pause }: Work, keys: Key[]): Promise<Decision> {
  const verdicts: Verdict[] = []
  for (let from = 0; from < keys.length; from += SCOPES_AT_ONCE) {
    const some = keys.slice(from, from + SCOPES_AT_ONCE)
    const ids = some.map(({ record_id }) => record_id as string)
    const records = [
      ...(await listScopesOf(ctx.db, ctx.repo.id, ids)),
      ...(await listNotableScopes(ctx.db, ctx.repo.id, ids)),
    ]
    const scopes = new Map(records.map((record) => [record.id, storedScopeOf(record)]))
    for (const key of some) {
      const scope = scopes.get(key.record_id as string)
      const match = scope ? compare(proposal, scope, { rules, max: 1, budget }) : null
      if (!match && budget.remaining < 0) return { verdicts, complete: false }
      verdicts.push({ ...key, is_overlap: match !== null, by_path: (match?.paths.length ?? 0) > 0 })
      await pause()
    }
  }
  return { verdicts, complete: true }
}
