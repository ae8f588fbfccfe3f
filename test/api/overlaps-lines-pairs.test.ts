/** The list of all collisions and every check compare each pair of activities as the pure rule does. */

import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getActivity } from '../../src/server/activities/activities.ts'
import { replacePushedChanges } from '../../src/server/activities/activity-files.ts'
import { storedScopeOf } from '../../src/server/activities/compared-scope.ts'
import { type ActivityRow, activities } from '../../src/server/activities/table.ts'
import { changeOf, type FileChange } from '../../src/server/line-verdicts/change.ts'
import { indexFiles, sharedFiles } from '../../src/server/line-verdicts/pair-verdict.ts'
import { compare, comparisonOf, proposalOf } from '../../src/server/overlap/compare.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { sideOf } from '../../src/server/overlap/side.ts'
import { digestedSide, relationOf, sideVerdict } from '../../src/server/overlap/sides-by-lines.ts'
import { readLineHasher } from '../../src/server/repositories/line-key.ts'
import { inTransaction, openKnownRepo, type RepoContext } from '../../src/server/repositories/repo.ts'
import type { Overlap } from '../../src/vocabulary/contract/overlap-list.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { takePairs } from '../../src/vocabulary/scope/path-set.ts'
import { collisionSeverity, higher, overlapSeverity } from '../../src/vocabulary/severity.ts'
import { activityWeight } from '../../src/vocabulary/weight.ts'
import { record } from '../support/arbitrary-scopes.ts'
import { fakeGithub } from '../support/github.ts'
import { change, editOf } from '../support/lines.ts'
import { freshRepositories, type TestRepository } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { atOnce } from '../support/steps.ts'

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

/** Set the variable for a longer run by hand. */
const RUNS = Number(process.env.INDEX_RUNS ?? 40)

const FILE = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const FRESH = Array.from({ length: 6 }, (_, at) => `const fresh${at} = compute(${at})`)

/** An edit of `FILE`, or of the same file after the base branch inserted `drift` lines at its start. */
const patch = record({
  at: fc.constantFrom(5, 5, 5, 5, 7, 14, 50),
  removed: fc.constantFrom(1, 1, 1, 1, 0),
  added: fc.constantFrom(['mine()'], ['mine()'], ['its()'], FRESH, FRESH.slice(2)),
  drift: fc.constantFrom(0, 0, 0, 0, 9),
}).map(({ at, removed, added, drift }) => {
  const base = [...Array.from({ length: drift }, (_, line) => `a line of the base branch ${line}`), ...FILE]
  return editOf(base, at + drift, removed, added)
})
const file = fc.oneof(
  {
    weight: 5,
    arbitrary: record({
      path: fc.constantFrom('src/a.ts', 'src/a.ts', 'src/a.ts', 'src/b.ts', 'CHANGELOG.md'),
      previous_path: fc.constant(undefined),
      status: fc.constant('modified' as const),
      patch: fc.option(patch, { freq: 12, nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      path: fc.constant('src/new.ts'),
      previous_path: fc.constantFrom('src/a.ts', 'yarn.lock'),
      status: fc.constant('renamed' as const),
      patch: fc.option(patch, { freq: 2, nil: undefined }),
    }),
  },
)
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 2, selector: ({ path }) => path })
type File = typeof file extends fc.Arbitrary<infer Value> ? Value : never
const commit = fc.constantFrom(null, 'a'.repeat(40), 'b'.repeat(40))

/** Work with declared changes, pushed ones (`pull_request`), both, or globs only. */
const work = record({
  declared: fc.option(files, { freq: 6, nil: [] as File[] }),
  paths: fc.constantFrom<string[]>([], [], [], [], [], ['src/**'], ['src/b.ts']),
  areas: fc.constantFrom<string[]>([], [], ['pay']),
  base_sha: commit,
  pull_request: fc.option(record({ files, base_sha: commit, is_draft: fc.boolean() }), { freq: 1 }),
  title: fc.constantFrom('Retry payments', 'Retry', 'Refund', 'Fix #7'),
  actor: fc.constantFrom('Ben', 'Eve'),
  risk: fc.constantFrom('low', 'low', 'high'),
  blocking: fc.constantFrom(false, false, false, true),
})
type Work = typeof work extends fc.Arbitrary<infer Value> ? Value : never

/** The digests of what was sent, by activity, origin and path. */
type Sent = Map<string, FileChange>

async function begin(repo: TestRepository, [given, index]: [Work, number], sent: Sent): Promise<void> {
  const { declared, paths, areas, pull_request, ...body } = given
  const number = index + 1
  const id = await repo.createActivity({
    ...body,
    branch: `b${index}`,
    scope: { areas, paths, changes: declared },
    ...(pull_request && {
      pr_url: `https://github.com/acme/r${repo.id - 1000}/pull/${number}`,
      draft_pr: pull_request.is_draft,
    }),
  })
  const keep = (origin: string, all: File[]) => {
    for (const { previous_path = null, ...each } of all)
      sent.set(`${id} ${origin} ${each.path}`, change({ ...each, previous_path } as object))
  }
  keep('declared', declared)
  if (pull_request === null) return
  keep('pushed', pull_request.files)
  const ctx = await contextOf(repo)
  const hash = await readLineHasher(ctx)
  const pushed = pull_request.files.map(({ path, previous_path, ...each }) =>
    changeOf({ filename: path, previous_filename: previous_path, ...each }, hash),
  ) as FileChange[]
  await inTransaction(ctx, async (within) => {
    await replacePushedChanges(within, await getActivity(within, id), {
      files: pushed,
      names: [],
      base_sha: pull_request.base_sha,
      is_complete: true,
    })
  })
}

async function contextOf(repo: TestRepository): Promise<RepoContext> {
  const ctx = await openKnownRepo(service.app, repo.id, service.clock.now)
  if (!ctx) throw new Error('the repository is not known')
  return ctx
}

const rules = rulesOf(DEFAULT_SETTINGS, [])
const { noise } = rules
const budget = { remaining: Number.POSITIVE_INFINITY }

function sideWithDigests(ctx: RepoContext, row: ActivityRow, sent: Sent) {
  const side = sideOf(row, ctx)
  const files = side.files.map((file) => ({
    ...file,
    ...(sent.get(`${row.id} ${file.origin} ${file.path}`) as FileChange),
  }))
  return { ...atOnce(digestedSide(side, files, noise)), files }
}

/** What the pure rule says of two activities; null if they do not collide. */
function compared(ctx: RepoContext, [older, newer]: [ActivityRow, ActivityRow], sent: Sent) {
  const proposal = proposalOf([storedScopeOf(older)], rules, budget)
  if (compare(proposal, storedScopeOf(newer), { rules, max: 1, budget }) === null) return null
  const [mine, its] = [sideWithDigests(ctx, older, sent), sideWithDigests(ctx, newer, sent)]
  const index = new Map([...indexFiles(mine.files)].filter(([name]) => proposal.files.has(name)))
  const shared = sharedFiles(index, its.files)
  const hasLines = mine.files.length > 0 && its.files.length > 0
  const side_verdict = hasLines
    ? atOnce(sideVerdict(mine, its, { shared, noise, numbers: rules.numbers, budget }))
    : undefined
  const { areas, pairs } = comparisonOf(proposal, storedScopeOf(newer), { rules, budget, by_lines: hasLines })
  const kind = takePairs(pairs, 1).length > 0 ? 'path' : areas.length > 0 ? 'area' : null
  const reported = (row: ActivityRow) => {
    const weight = activityWeight(row)
    return side_verdict
      ? collisionSeverity(side_verdict, kind, weight)
      : kind && overlapSeverity(kind, weight)
  }
  const [to_older, to_newer] = [reported(newer), reported(older)]
  if (to_older === null || to_newer === null) return null
  return {
    activity_ids: [older.id, newer.id],
    severity: higher(to_older, to_newer),
    reported: [to_older, to_newer],
    ...relationOf(mine, its, { side_verdict }),
    files: (side_verdict?.files ?? [])
      .slice(0, 3)
      .map(({ path, verdict, confidence, your_lines, their_lines }) => ({
        example: path,
        verdict,
        confidence,
        line_ranges: your_lines === null && their_lines === null ? null : [your_lines, their_lines],
      })),
  }
}

test('each pair is listed and checked with the verdict, severity and lines of the pure rule', {
  timeout: 120_000,
}, async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 5, maxLength: 6 }), async (all) => {
      const repo = repository()
      const sent: Sent = new Map()
      for (const [index, each] of all.entries()) await begin(repo, [each, index], sent)
      const ctx = await contextOf(repo)
      const rows = await ctx.db.select().from(activities).where(eq(activities.repo_id, repo.id))
      rows.sort((a, b) => (a.id < b.id ? -1 : 1))
      const expected = rows.flatMap((older, at) =>
        rows.slice(at + 1).flatMap((newer) => compared(ctx, [older, newer], sent) ?? []),
      )
      for (const { lines } of expected) seen.set(`${lines}`, (seen.get(`${lines}`) ?? 0) + 1)

      const { body } = await repo.request('GET', '/overlaps')
      const items = body.items as Overlap[]
      const byIds = (a: { activity_ids: string[] }, b: { activity_ids: string[] }) =>
        a.activity_ids.join() < b.activity_ids.join() ? -1 : 1
      const listed = items.toSorted(byIds).map(({ areas: _, paths, ...each }) => ({
        ...each,
        files: paths.filter(({ verdict }) => verdict !== null).map(({ globs: _, ...path }) => path),
      }))
      expect(listed).toEqual(expected.toSorted(byIds).map(({ reported: _, ...each }) => each))
      expect(items.every(({ areas, paths }) => areas.length + paths.length > 0)).toBe(true)
      expect(body.total).toEqual(expected.length)
      expect(body.checked_against.complete).toBe(true)

      for (const { id } of rows) {
        const { overlap } = (await repo.request('GET', `/activity/${id}`)).body
        const reported = expected.flatMap(({ activity_ids, reported, lines }) =>
          activity_ids.flatMap((each, side) =>
            each === id ? [{ id: activity_ids[1 - side], severity: reported[side], lines }] : [],
          ),
        )
        const matches = overlap.matches.map(({ id, severity, lines }: Overlap & { id: string }) => ({
          id,
          severity,
          lines,
        }))
        expect(new Set(matches)).toEqual(new Set(reported))
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
  // Otherwise the examples would prove little.
  for (const lines of ['conflict', 'unknown', 'agrees', 'touching', 'near', 'far', 'null'])
    expect(seen.get(lines) ?? 0, lines).toBeGreaterThan(0)
})
