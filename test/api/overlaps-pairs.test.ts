/** The list of all collisions contains exactly the pairs that a comparison of every two live activities finds. */

import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedScopeOf } from '../../src/server/activities/compared-scope.ts'
import { asOf } from '../../src/server/activities/lifecycle.ts'
import { insertActivity } from '../../src/server/activities/store.ts'
import { type ActivityRow, activities } from '../../src/server/activities/table.ts'
import type { AttributeRule } from '../../src/server/line-verdicts/git-attributes.ts'
import { compare, proposalOf } from '../../src/server/overlap/compare.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { isLive } from '../../src/vocabulary/activity-status.ts'
import { newId } from '../../src/vocabulary/contract/id.ts'
import type { Overlap } from '../../src/vocabulary/contract/overlap-list.ts'
import { fileGlob, parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { matchesPath } from '../../src/vocabulary/scope/intersect.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { isAtLeast, overlapSeverity } from '../../src/vocabulary/severity.ts'
import { activityWeight } from '../../src/vocabulary/weight.ts'
import {
  type ComparedSettings,
  noiseAttributes,
  record,
  risk,
  scopes,
  settings,
} from '../support/arbitrary-scopes.ts'
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

const HOUR_MS = 3_600_000
/** Set the variable for a longer run. */
const RUNS = Number(process.env.INDEX_RUNS ?? 20)

const branch = fc.constantFrom(null, 'main', 'a', 'b', 'c', 'd', 'e')
const branches = { branch, base_branch: branch }
const event = fc.oneof(
  {
    weight: 10,
    arbitrary: record({
      what: fc.constant('work' as const),
      body: record({ scope: scopes, risk, blocking: fc.boolean(), ...branches }),
    }),
  },
  {
    weight: 3,
    arbitrary: record({ what: fc.constant('track' as const), scope: scopes, ...branches }),
  },
  {
    weight: 3,
    arbitrary: record({
      what: fc.constant('change' as const),
      which: fc.nat(),
      body: fc.oneof(
        record({ scope: scopes }),
        record({ risk }),
        record({ blocking: fc.boolean() }),
        record(branches),
        record({ heartbeat: fc.constant(true) }),
        record({ status: fc.constantFrom('paused', 'merged', 'abandoned', 'archived') }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: record({ what: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 13 }) }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never

/** Applies one event. Events that the state of a record forbids are ignored. */
async function happen(repo: TestRepository, each: Event, ids: string[]): Promise<void> {
  const { clock, app } = service
  switch (each.what) {
    case 'work':
      ids.push(await repo.createActivity(each.body))
      return
    case 'track': {
      const { scope, branch, base_branch } = each
      const row = {
        repo_id: repo.id,
        id: newId('act'),
        title: 'a',
        summary: 'a',
        actor: 'a',
        status: 'ready-for-review',
        risk: 'low',
        draft_pr: false,
        blocking: false,
        source: 'pull_request',
        pr_number: 7,
        pr_url: 'https://github.com/acme/r0/pull/7',
        created_at: clock.now,
        updated_at: clock.now,
        expires_at: new Date(clock.now.getTime() + 5 * HOUR_MS),
      } as const
      const stored = { ...row, scope, branch, base_branch, scope_is_literal: true }
      ids.push((await insertActivity(app.database.connection(), stored)).id)
      return
    }
    case 'change': {
      const id = ids[each.which % ids.length]
      if (id) await repo.request('PATCH', `/activity/${id}`, { body: each.body })
      return
    }
    case 'wait':
      clock.advance(each.hours * HOUR_MS)
  }
}

/** The own and stacked activities of `work`, found by following the links one by one over all live activities. */
function expectedBy(work: ActivityRow, live: ActivityRow[]): Set<string> {
  const own = live.filter((each) => each === work || (work.branch !== null && each.branch === work.branch))
  const below = new Set(own.map((each) => each.base_branch).filter((name) => name !== work.branch))
  const above = new Set([work.branch])
  for (const _ of live)
    for (const each of live) {
      if (each.branch !== null && below.has(each.branch) && each.base_branch !== work.branch)
        below.add(each.base_branch)
      if (each.base_branch !== null && above.has(each.base_branch) && each.branch !== null)
        above.add(each.branch)
    }
  const has = (names: Set<string | null>, name: string | null) => name !== null && names.has(name)
  return new Set(
    live
      .filter(
        (each) =>
          own.includes(each) ||
          has(below, each.branch) ||
          (work.branch !== null && has(above, each.base_branch)),
      )
      .map(({ id }) => id),
  )
}

/** A branch and those below it, by the base branches of the live activities on them. */
function stackOf(name: string, live: ActivityRow[]): Set<string> {
  const names = new Set([name])
  for (const _ of live)
    for (const { branch, base_branch } of live)
      if (branch !== null && base_branch !== null && names.has(branch)) names.add(base_branch)
  return names
}

/** Whether a check of `work` leaves `other` out because it is for another base branch. */
function isForOtherBase(work: ActivityRow, other: ActivityRow, live: ActivityRow[]): boolean {
  if (work.base_branch === null || other.base_branch === null) return false
  if (work.base_branch === other.base_branch) return false
  const own = live.filter((each) => each === work || (work.branch !== null && each.branch === work.branch))
  const bases = own.flatMap(({ base_branch }) => base_branch ?? []).filter((name) => name !== work.branch)
  const below = new Set(
    bases.flatMap((name) => [
      ...stackOf(
        name,
        live.filter((each) => each.base_branch !== work.branch),
      ),
    ]),
  )
  return ![...stackOf(other.base_branch, live)].some((name) => below.has(name))
}

function bruteForce(live: ActivityRow[], [set, attributes]: [ComparedSettings, AttributeRule[]]) {
  const rules = rulesOf(set, attributes)
  const budget = { remaining: 100_000_000 }
  const proposals = live.map((row) => proposalOf([storedScopeOf(row)], rules, budget))
  const expected = live.map((row) => expectedBy(row, live))
  return live.flatMap((older, index) =>
    live.slice(index + 1).flatMap((newer, offset) => {
      const proposal = proposals[index] as NonNullable<(typeof proposals)[number]>
      const isLeftOut = [
        expected[index]?.has(newer.id) || isForOtherBase(older, newer, live),
        expected[index + 1 + offset]?.has(older.id) || isForOtherBase(newer, older, live),
      ].every(Boolean)
      const match = isLeftOut ? null : compare(proposal, storedScopeOf(newer), { rules, max: 20, budget })
      if (!match) return []
      const by = match.paths.length > 0 ? 'path' : 'area'
      const [one, other] = [older, newer].map((row) => overlapSeverity(by, activityWeight(row))) as [
        Severity,
        Severity,
      ]
      return [
        {
          activity_ids: [older.id, newer.id],
          severity: isAtLeast(one, other) ? one : other,
          areas: match.areas.toSorted(),
          shared: new Set(match.paths.map(({ yours, theirs }) => `${yours}\0${theirs}`)).size,
        },
      ]
    }),
  )
}

async function liveIn(repo: TestRepository): Promise<ActivityRow[]> {
  const rows = await service.app.database
    .connection()
    .select()
    .from(activities)
    .where(eq(activities.repo_id, repo.id))
  return rows
    .map((row) => asOf(row, service.clock.now))
    .filter(({ status }) => isLive(status))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

function isInOrder(items: Overlap[]): boolean {
  const keys = items.map(({ severity, activity_ids: [older, newer] }) => [
    ['low', 'medium', 'high'].indexOf(severity),
    newer,
    older,
  ])
  return keys.every((key, at) => {
    const before = keys[at - 1]
    const differs = before?.findIndex((value, part) => value !== key[part]) ?? -1
    return !before || (before[differs] as string) > (key[differs] as string)
  })
}

/** An example must match the stored globs of both. */
function expectExamples({ activity_ids, paths }: Overlap, live: ActivityRow[]): void {
  for (const { globs, example } of paths)
    for (const [side, source] of globs.entries()) {
      const row = live.find(({ id }) => id === activity_ids[side])
      const isOwn = row?.scope.paths.includes(source)
      const glob = isOwn && row?.scope_is_literal ? fileGlob(source) : parseGlob(source)
      expect(matchesPath(glob, example), `${source} matches ${example}`).toBe(true)
    }
}

test('each colliding pair of live activities is listed once, after any sequence of changes', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(settings, noiseAttributes),
      fc.array(event, { minLength: 5, maxLength: 30 }),
      async (set, events) => {
        const repo = repository()
        await repo.configure(...set)
        const ids: string[] = []
        for (const each of events) await happen(repo, each, ids)
        const live = await liveIn(repo)
        const pairs = bruteForce(live, set)

        const { body } = await repo.request('GET', '/overlaps')
        const items = body.items as Overlap[]
        const listed = items.map(({ activity_ids, severity, areas, paths }) => {
          const own = pairs.find((pair) => pair.activity_ids.join() === activity_ids.join())
          const { shared = 0 } = own ?? {}
          const isRight =
            paths.length >= Math.min(3, shared) && paths.length <= 3 && shared > 0 === paths.length > 0
          return { activity_ids, severity, areas: areas.toSorted(), shared: isRight ? shared : paths }
        })
        const sorted = <Pair extends { activity_ids: string[] }>(all: Pair[]) =>
          all.toSorted((a, b) => (a.activity_ids.join() < b.activity_ids.join() ? -1 : 1))
        expect(sorted(listed)).toEqual(sorted(pairs))
        expect(isInOrder(items)).toBe(true)
        for (const each of items) expectExamples(each, live)
        expect(body.total).toBe(pairs.length)
        expect(body.checked_against).toEqual({
          activities: live.length,
          as_of: service.clock.now.toISOString(),
          complete: true,
          reason: null,
        })

        // The list contains exactly the pairs that retrievals report, which use the index in the database.
        const related = new Set<string>()
        for (const { id, scope } of live) {
          if (scope.areas.length + scope.paths.length === 0) continue
          const { overlap } = (await repo.request('GET', `/activity/${id}`)).body
          for (const other of overlap.related_activity_ids) related.add([id, other].sort().join())
        }
        expect([...related].sort()).toEqual(items.map(({ activity_ids }) => activity_ids.join()).sort())
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
