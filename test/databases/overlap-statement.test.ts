/** The statement of a check agrees with the truth table in each cell, and with a comparison of the scopes. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertActivity } from '../../src/server/activities/store.ts'
import type { StoredScope } from '../../src/server/claims-index/claim.ts'
import {
  type Claim,
  claimsOf,
  FILE,
  type Kind,
  PATTERN,
  PLAIN,
  SUBTREE,
  TREE,
  TRUNCATED,
} from '../../src/server/claims-index/claim.ts'
import { compare, proposalOf } from '../../src/server/overlap/compare.ts'
import {
  type Answer,
  CLAIM_KINDS,
  POINT_PROBES,
  probesOf,
  RANGE_PROBES,
  TRUTH_TABLE,
} from '../../src/server/overlap/probes.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { type SearchResult, search } from '../../src/server/overlap/search.ts'
import { newId } from '../../src/vocabulary/contract/id.ts'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories, type TestRepository } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})

afterAll(async () => {
  await service.close()
  github.close()
})

type Probe = keyof typeof TRUTH_TABLE

const rules = rulesOf(
  { areas: {}, ignore_paths: [], noise_paths: {}, noise_classes: {}, number_directories: {} },
  [],
)
const plenty = () => ({ remaining: 100_000_000 })
const globs = (...paths: string[]): StoredScope => ({
  areas: [],
  paths,
  is_literal: false,
  files: [],
  taken: [],
})
const files = (...paths: string[]): StoredScope => ({
  areas: [],
  paths,
  is_literal: true,
  files: [],
  taken: [],
})

/** A proposal with this probe at `/a/b/`; `root` is at `/`. */
const PROPOSALS: Record<Probe, StoredScope> = {
  plain: globs('a/b'),
  subtree: globs('a/b/**'),
  deep: globs('a/b/**/x.ts'),
  shallow: globs('a/b/*.ts'),
  file: files('a/b'),
  ancestor: files('a/b/x.ts'),
  both: files('a/b', 'a/b/x.ts'),
  root: { ...globs(), areas: ['pay'] },
}
const LONG = 'n'.repeat(500)

/** Scopes with one claim of the kind at the prefix of a directory; none if that is impossible. */
const SAMPLES: Record<(typeof CLAIM_KINDS)[number], (dir: string) => StoredScope[]> = {
  [FILE]: (dir) => (dir === '' ? [] : [files(dir)]),
  [PLAIN]: (dir) => (dir === '' ? [] : [globs(dir)]),
  [TREE]: (dir) => (dir === '' ? [] : [globs(`{${dir},other}`)]),
  [SUBTREE]: (dir) => [globs(`${beneath(dir)}**`)],
  [PATTERN]: (dir) =>
    ['*.ts', '*.md', '**/x.ts', '*/*.ts'].map((pattern) => globs(`${beneath(dir)}${pattern}`)),
  [TRUNCATED]: (dir) => [globs(beneath(dir) + LONG), files(`${beneath(dir)}${LONG}.ts`)],
}
const beneath = (dir: string) => (dir === '' ? '' : `${dir}/`)

interface Sample {
  id: string
  scope: StoredScope
  claim: Claim
}

async function insert(repo: TestRepository, { areas, paths, is_literal }: StoredScope): Promise<string> {
  const { now } = service.clock
  const row = await insertActivity(service.app.database.connection(), {
    repo_id: repo.id,
    id: newId('act'),
    title: 'a',
    summary: 'a',
    actor: 'a',
    status: 'active',
    risk: 'low',
    draft_pr: false,
    blocking: false,
    source: 'api',
    created_at: now,
    updated_at: now,
    expires_at: new Date(now.getTime() + 3_600_000),
    scope: { areas, paths },
    scope_is_literal: is_literal,
  })
  return row.id
}

async function samplesOf(repo: TestRepository, kind: (typeof CLAIM_KINDS)[number], dirs: string[]) {
  const samples: Sample[] = []
  for (const dir of dirs) {
    for (const scope of SAMPLES[kind](dir)) {
      const claims = await claimsOf(scope)
      const claim = claims.find((each) => each.kind === kind && each.place === `/${beneath(dir)}`)
      samples.push({ id: await insert(repo, scope), scope, claim: claim as Claim })
    }
  }
  expect(samples.every(({ claim }) => claim !== undefined)).toBe(true)
  return samples
}

function searchFor(repo: TestRepository, scope: StoredScope, ignored: string | null = null) {
  const { paths, labels } = proposalOf([scope], rules, plenty())
  const probes = probesOf(paths, new Map([...labels.keys()].map((key) => [key, false])))
  const { now } = service.clock
  const given = { now, self: [], branch: null, base_branch: null, probes, ignored, limit: 200 }
  const input = { ...given, records: 0, merged: { since: now, limit: 0 } }
  return search(service.app.database.connection(), repo.id, input)
}

function answerOf({ id, claim }: Sample, { activities, keys }: SearchResult): Answer {
  if (activities.top.some((each) => each.id === id)) return 'sure'
  const isKey = (key: Claim) =>
    key.place === claim.place && key.kind === claim.kind && key.glob === claim.glob
  return keys.some(isKey) ? 'decide' : 'skip'
}

const probes: Probe[] = [...RANGE_PROBES, ...POINT_PROBES]

test.each(probes)(
  'each claim at or below a probe "%s" is classified as the truth table says',
  async (probe) => {
    const repo = repository()
    const proposal = proposalOf([PROPOSALS[probe]], rules, plenty())
    const table = TRUTH_TABLE[probe]
    const cells: { answer: Answer; samples: Sample[] }[] = []
    for (const where of ['at', 'beneath'] as const) {
      if (!(where in table)) continue
      const row = (table as Record<typeof where, readonly Answer[]>)[where]
      const dirs = where === 'beneath' ? ['a/b/c', 'a/b/x.ts'] : [probe === 'root' ? '' : 'a/b']
      for (const [column, kind] of CLAIM_KINDS.entries())
        cells.push({ answer: row[column] as Answer, samples: await samplesOf(repo, kind, dirs) })
    }
    const result = await searchFor(repo, PROPOSALS[probe])
    const id = await insert(repo, PROPOSALS[probe])
    const { overlap } = (await repo.request('GET', `/activity/${id}`)).body
    for (const { answer, samples } of cells) {
      for (const sample of samples) {
        const { kind, place, glob } = sample.claim
        const cell = `kind ${kind} at ${place} ${glob}`
        expect(answerOf(sample, result), cell).toBe(answer)
        const overlaps = compare(proposal, sample.scope, { rules, max: 1, budget: plenty() }) !== null
        if (answer !== 'decide') expect(overlaps, cell).toBe(answer === 'sure')
        expect(overlap.related_activity_ids.includes(sample.id), cell).toBe(overlaps)
      }
    }
  },
)

test.each<[Probe, Kind[]]>([
  ['plain', [FILE, PLAIN]],
  ['both', [FILE, PLAIN]],
  ['ancestor', [PLAIN]],
])('a path that may be ignored has to be decided: probe "%s"', async (probe, kinds) => {
  const repo = repository()
  const cells = []
  for (const kind of CLAIM_KINDS.slice(0, 4)) cells.push(...(await samplesOf(repo, kind, ['a/b'])))
  const [plain, ignored] = [
    await searchFor(repo, PROPOSALS[probe]),
    await searchFor(repo, PROPOSALS[probe], 'a/b'),
  ]
  for (const sample of cells) {
    const isDecided = kinds.includes(sample.claim.kind)
    expect(answerOf(sample, ignored)).toBe(isDecided ? 'decide' : answerOf(sample, plain))
  }
})
