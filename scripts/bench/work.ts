/** What the benchmark's people work on and ask about. */
import { CreateActivity } from '../../src/activities/activity.ts'
import type { Template } from './load.ts'

/** One in eight touches what many touch, so that a proposal for all of it meets 13 % of the records. */
const SHARED_EVERY = 8
export const SHARED = 'shared/kit'

/** Every other one of those declares a pattern, of which there are so many. */
const PATTERNS = 50

/**
 * What somebody works on: the `n`th of many, alone in its directory but for every eighth, which is in a shared one too.
 * `SHARD` stands wherever it has to differ between the copies of these records.
 */
export function workOf(n: number): CreateActivity {
  const own = `packages/${SHARD}p${n}`
  return CreateActivity.parse({
    title: `Rework package ${n}`,
    summary: `Splits what package ${n} does in two, so that the first half can be tested alone.`,
    actor: `person-${n % 500}`,
    agent: n % 3 === 0 ? 'claude-code' : null,
    branch: `work-${SHARD}${n}`,
    base_branch: 'main',
    scope: {
      areas: n % 5 === 0 ? [`area-${SHARD}${n}`] : [],
      paths: [`${own}/src/**`, `${own}/test/unit.test.ts`, lastPathOf(n)],
    },
    risk: n % 20 === 0 ? 'high' : n % 7 === 0 ? 'medium' : 'low',
  })
}

export const SHARD = 's0-'

/**
 * What the `n`th of a crowd works on. Everybody has three things of the shared directory, and shares some of them with the
 * two activities before and the two after: each collides with four others. Every fifth thing is a pattern.
 */
export function crowdWorkOf(n: number, size: number): CreateActivity {
  const shared = [0, 1, 2].map((step) => {
    const thing = (n + step) % size
    return thing % 5 > 0 ? `${SHARED}/src/part-${thing}.ts` : `${SHARED}/lib/**/*.v${thing}.ts`
  })
  return CreateActivity.parse({
    title: `Rework package ${n}`,
    summary: `Splits what package ${n} does in two, so that the first half can be tested alone.`,
    actor: `person-${n % 50}`,
    branch: `work-${n}`,
    base_branch: 'main',
    scope: { paths: [`packages/p${n}/src/**`, `packages/p${n}/test/unit.test.ts`, ...shared] },
    risk: n % 20 === 0 ? 'high' : 'low',
  })
}

function lastPathOf(n: number): string {
  // No directory to look it up by: every check has to decide it, and none asks about what it names.
  if (n % 10_000 === 9999) return `*/legacy-${n % 7}/*.ts`
  if (n % SHARED_EVERY !== 0) return `docs/${SHARD}p${n}.md`
  const isPlain = (n / SHARED_EVERY) % 2 === 0
  return isPlain ? `${SHARED}/part-${SHARD}${n}.ts` : `${SHARED}/**/*.v${n % PATTERNS}.ts`
}

const address = (name: string, rest = '') => `/api/v1/repos/acme/${name}/activity${rest}`

/** Asks about a directory in which nobody is. */
export function sparseCheck(repository: string): Template {
  const body = {
    scope: { areas: ['area-########'], paths: ['packages/q########/src/**', 'packages/q########/README.md'] },
    branch: 'check-########',
    base_branch: 'main',
  }
  return { method: 'POST', path: address(repository, '/check'), body: JSON.stringify(body) }
}

/** Asks about the directory in which 13 % of all are. */
export function denseCheck(repository: string): Template {
  const body = { scope: { paths: [`${SHARED}/**`] }, branch: 'check-########', base_branch: 'main' }
  return { method: 'POST', path: address(repository, '/check'), body: JSON.stringify(body) }
}

export function allOverlaps(repository: string): Template {
  return { method: 'GET', path: `/api/v1/repos/acme/${repository}/overlaps` }
}

export const CREATED = {
  title: 'Rework package ########',
  summary: 'Splits what the package does in two, so that the first half can be tested alone.',
  actor: 'person-1',
  branch: 'work-########',
  base_branch: 'main',
  scope: {
    areas: [] as string[],
    paths: ['packages/n########/src/**', 'packages/n########/test.ts', 'docs/n########.md'],
  },
}

/** Declares work in a directory of its own. */
export function create(repository: string): Template {
  return { method: 'POST', path: address(repository), body: JSON.stringify(CREATED) }
}

export function heartbeat(repository: string, id: string): Template {
  return { method: 'POST', path: address(repository, `/${id}/heartbeat`) }
}

export function retrieve(repository: string, id: string): Template {
  return { method: 'GET', path: address(repository, `/${id}`) }
}

export function list(repository: string): Template {
  return { method: 'GET', path: address(repository) }
}
