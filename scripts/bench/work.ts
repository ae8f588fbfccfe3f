/** The activities of the benchmark. */
import { CreateActivity } from '../../src/vocabulary/contract/activity.ts'

/** One activity in eight has a path in the shared directory, so that a check of that directory overlaps with 13 %. */
const SHARED_EVERY = 8
export const SHARED = 'shared/kit'
/** Half of those declare a pattern; this is the range of their suffixes. */
const PATTERNS = 50

/** The `n`th activity, in its own directory, and every eighth in the shared one too. */
export function workOf(n: number): CreateActivity {
  const own = `packages/p${n}`
  const areas = n % 5 === 0 ? [`area-${n}`] : []
  return activity(`${n}`, {
    areas,
    paths: [`${own}/src/**`, `${own}/test/unit.test.ts`, lastPathOf(n)],
  })
}

function lastPathOf(n: number): string {
  // It starts with a wildcard, so that every check has to decide it; no check overlaps with it.
  if (n % 10_000 === 9999) return `*/legacy-${n % 7}/*.ts`
  if (n % SHARED_EVERY !== 0) return `docs/p${n}.md`
  const isPlain = (n / SHARED_EVERY) % 2 === 0
  return isPlain ? `${SHARED}/part-${n}.ts` : `${SHARED}/**/*.v${n % PATTERNS}.ts`
}

export function activity(name: string, scope: object): CreateActivity {
  return CreateActivity.parse({
    title: `Rework package ${name}`,
    summary: `Splits what package ${name} does in two, so that the first half can be tested alone.`,
    actor: `person-${name}`,
    branch: `work-${name}`,
    base_branch: 'main',
    scope,
  })
}
