/** The activities of the benchmark, and its requests. */
import { CreateActivity } from '../../src/vocabulary/contract/activity.ts'
import { randomOf } from '../random.ts'
import type { Template } from './load.ts'

/** One activity in eight has a path in the shared directory, so that a check of that directory overlaps with 13 %. */
const SHARED_EVERY = 8
export const SHARED = 'shared/kit'

/** Half of those declare a pattern; this is the range of their suffixes. */
const PATTERNS = 50

/**
 * The `n`th activity, in its own directory, and every eighth in the shared one too. Texts contain `SHARD` where the copies
 * of an activity must differ.
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
 * The `n`th activity of a crowd. Each has three consecutive paths of the shared directory, and so collides with the two
 * activities before it and the two after it. Every fifth path is a pattern.
 */
export function crowdWorkOf(n: number, size: number): CreateActivity {
  const shared = [0, 1, 2].map((step) => {
    const part = (n + step) % size
    return part % 5 > 0 ? `${SHARED}/src/part-${part}.ts` : `${SHARED}/lib/**/*.v${part}.ts`
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

/** Directories of the mix, and the files that a scope can name in each. */
const MIX_DIRECTORIES = 16_000
const MIX_FILES = 4

/** The `n`th activity of the mix. */
export function mixWorkOf(n: number): CreateActivity {
  return CreateActivity.parse({
    title: `Rework package ${n}`,
    summary: `Splits what package ${n} does in two, so that the first half can be tested alone.`,
    actor: `person-${n % 500}`,
    branch: `work-${n}`,
    base_branch: 'main',
    scope: { paths: mixPathsOf(n, 'packages') },
    risk: n % 20 === 0 ? 'high' : 'low',
  })
}

/** 1 to 6 paths in random directories beneath `root`; a third each are files, subtrees and patterns. The same for the same `n`. */
function mixPathsOf(n: number, root: string): string[] {
  const random = randomOf(n)
  const paths = Array.from({ length: 1 + random(6) }, () => {
    const directory = random(MIX_DIRECTORIES)
    const path = `${root}/p${Math.floor(directory / 100)}/m${directory % 100}`
    const file = random(MIX_FILES)
    const extension = random(2) === 0 ? 'ts' : 'test.ts'
    return [`${path}/part-${file}.${extension}`, `${path}/**`, `${path}/*.test.ts`][random(3)] as string
  })
  return [...new Set(paths)]
}

function lastPathOf(n: number): string {
  // It starts with a wildcard, so that every check has to decide it; no check overlaps with it.
  if (n % 10_000 === 9999) return `*/legacy-${n % 7}/*.ts`
  if (n % SHARED_EVERY !== 0) return `docs/${SHARD}p${n}.md`
  const isPlain = (n / SHARED_EVERY) % 2 === 0
  return isPlain ? `${SHARED}/part-${SHARD}${n}.ts` : `${SHARED}/**/*.v${n % PATTERNS}.ts`
}

const address = (name: string, rest = '') => `/api/v1/repos/acme/${name}/activity${rest}`

/** A check of a directory without activities. */
export function sparseCheck(repository: string): Template {
  const body = {
    scope: { areas: ['area-########'], paths: ['packages/q########/src/**', 'packages/q########/README.md'] },
    branch: 'check-########',
    base_branch: 'main',
  }
  return { method: 'POST', path: address(repository, '/check'), body: JSON.stringify(body) }
}

/** A check of the directory in which 13 % of all activities have paths. */
export function denseCheck(repository: string): Template {
  const body = { scope: { paths: [`${SHARED}/**`] }, branch: 'check-########', base_branch: 'main' }
  return { method: 'POST', path: address(repository, '/check'), body: JSON.stringify(body) }
}

/** The `n`th check of the mix: a scope like that of its activities. Beneath another root than `packages` it overlaps with none. */
export function mixCheck(repository: string, n: number, root: string): Template {
  const body = { scope: { paths: mixPathsOf(n, root) }, branch: 'check-########', base_branch: 'main' }
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

/** Creates an activity in a directory of its own. */
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
