/** The claims index finds exactly what a comparison with every record finds, after any sequence of changes. */

import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedScopeOf } from '../../src/server/activities/compared-scope.ts'
import { asOf } from '../../src/server/activities/lifecycle.ts'
import { insertActivity } from '../../src/server/activities/store.ts'
import { activities } from '../../src/server/activities/table.ts'
import { claims } from '../../src/server/claims-index/table.ts'
import type { AttributeRule } from '../../src/server/line-verdicts/git-attributes.ts'
import { notables } from '../../src/server/notables/table.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { compare, proposalOf } from '../../src/server/overlap/compare.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { isLive } from '../../src/vocabulary/activity-status.ts'
import { newId } from '../../src/vocabulary/contract/id.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { bySeverity, highest, overlapSeverity, Ranking } from '../../src/vocabulary/severity.ts'
import { activityWeight, notableWeight } from '../../src/vocabulary/weight.ts'
import {
  type ComparedSettings,
  changedFiles,
  labels,
  noiseAttributes,
  record,
  risk,
  scopes,
  settings,
} from '../support/arbitrary-scopes.ts'
import { isEmbedded } from '../support/database.ts'
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
/** Set the variable for a longer run. The statements are the same on each database, and slower on the embedded one. */
const RUNS = Number(process.env.INDEX_RUNS ?? (isEmbedded ? 5 : 20))

const importance = fc.constantFrom('low', 'medium', 'high', 'critical')
const hours = fc.integer({ min: 1, max: 30 })

const event = fc.oneof(
  {
    weight: 6,
    arbitrary: record({
      what: fc.constant('work' as const),
      body: record({
        scope: scopes,
        risk,
        blocking: fc.boolean(),
        branch: fc.constantFrom('one', null, null),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      what: fc.constant('track' as const),
      scope: scopes,
      changed: fc.array(changedFiles, { maxLength: 2 }),
      pushed: fc.option(fc.array(changedFiles, { maxLength: 2 })),
      is_literal: fc.boolean(),
      draft: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      what: fc.constant('note' as const),
      body: record({ scope: scopes, importance, blocking: fc.boolean() }),
      until: fc.oneof(fc.constant(null), hours),
    }),
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
        record({ status: fc.constantFrom('paused', 'merged', 'abandoned', 'archived') }),
      ),
      noteBody: fc.oneof(
        record({ scope: scopes }),
        record({ importance }),
        record({ blocking: fc.boolean() }),
      ),
    }),
  },
  { weight: 1, arbitrary: record({ what: fc.constant('archive' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: record({ what: fc.constant('supersede' as const), which: fc.nat(), scope: scopes }),
  },
  { weight: 1, arbitrary: record({ what: fc.constant('wait' as const), hours }) },
  { weight: 1, arbitrary: record({ what: fc.constant('sweep' as const) }) },
)
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never

/** Applies one event. Events that the state of a record forbids are ignored. */
async function happen(repo: TestRepository, each: Event, ids: string[]): Promise<void> {
  const chosen = 'which' in each && ids.length > 0 ? ids[each.which % ids.length] : undefined
  const address = chosen && `/${chosen.startsWith('act') ? 'activity' : 'notables'}/${chosen}`
  const { clock, app } = service
  switch (each.what) {
    case 'work':
      ids.push(await repo.createActivity(each.body))
      return
    case 'track': {
      const id = newId('act')
      const times = { created_at: clock.now, updated_at: clock.now, expires_at: later(5) }
      const text = { title: 'a', summary: 'a', actor: 'a', status: 'ready-for-review', risk: 'low' } as const
      const row = {
        ...text,
        ...times,
        repo_id: repo.id,
        id,
        draft_pr: each.draft,
        pr_number: 7,
        pr_url: 'https://github.com/acme/r0/pull/7',
        changed_files: each.changed,
        pushed_files: each.pushed,
        blocking: false,
        source: 'pull_request',
      } as const
      const { scope, is_literal: scope_is_literal } = each
      await insertActivity(app.database.connection(), { ...row, scope, scope_is_literal })
      ids.push(id)
      return
    }
    case 'note':
      ids.push(
        await repo.createNotable({
          ...each.body,
          applies_until: each.until && later(each.until).toISOString(),
        }),
      )
      return
    case 'change':
      if (chosen)
        await repo.request('PATCH', address as string, {
          body: chosen.startsWith('act') ? each.body : each.noteBody,
        })
      return
    case 'archive':
      if (chosen) await repo.request('POST', `${address}/archive`)
      return
    case 'supersede':
      if (chosen?.startsWith('ntb'))
        ids.push(await repo.createNotable({ scope: each.scope, supersedes: [chosen] }))
      return
    case 'wait':
      clock.advance(each.hours * HOUR_MS)
      return
    case 'sweep':
      await sweep(app)
  }
}

function later(count: number): Date {
  return new Date(service.clock.now.getTime() + count * HOUR_MS)
}

interface Proposed {
  scope: { areas: string[]; paths: string[] }
  tags: string[]
  branch: string | null
}

/** The expected result of a check, found by comparing with every record. */
async function bruteForce(
  repo: TestRepository,
  given: Proposed,
  [set, attributes]: [ComparedSettings, AttributeRule[]],
) {
  const { now } = service.clock
  const db = service.app.database.connection()
  const all = (await db.select().from(activities).where(eq(activities.repo_id, repo.id)))
    .map((row) => asOf(row, now))
    .filter((row) => isLive(row.status))
  const notes = (
    await db
      .select()
      .from(notables)
      .where(and(eq(notables.repo_id, repo.id), eq(notables.status, 'active')))
  ).filter((row) => row.expires_at > now && (row.applies_until === null || row.applies_until > now))
  const rules = rulesOf(set, attributes)
  const own = all.filter((row) => given.branch !== null && row.branch === given.branch).sort(newestFirst)
  const sent = [storedScopeOf(given), storedScopeOf({ scope: { areas: given.tags, paths: [] } })]
  const isUnscoped = given.scope.areas.length + given.scope.paths.length === 0
  const proposal = proposalOf(isUnscoped ? [...sent, ...own.map(storedScopeOf)] : sent, rules, plenty())
  const compared = (row: Parameters<typeof storedScopeOf>[0]) =>
    compare(proposal, storedScopeOf(row), { rules, max: 20, budget: plenty() })
  type Found = { id: string; severity: Severity; areas: string[]; paths: unknown[] }
  const [collisions, matching] = [new Ranking<Found>(200, bySeverity), new Ranking<Found>(200, bySeverity)]
  for (const row of all) {
    const match = proposal.emptiness || own.includes(row) ? null : compared(row)
    if (match)
      collisions.add({
        id: row.id,
        severity: overlapSeverity(match.paths.length > 0 ? 'path' : 'area', activityWeight(row)),
        ...match,
      })
  }
  for (const row of notes) {
    const isEverywhere = row.scope.areas.length + row.scope.paths.length === 0
    const match = isEverywhere ? { areas: [], paths: [] } : compared(row)
    if (match)
      matching.add({ id: row.id, severity: overlapSeverity('notable', notableWeight(row)), ...match })
  }
  const matches = [...collisions.top(), ...matching.top()]
  return {
    severity: highest(matches),
    matches,
    related_activity_ids: collisions.top().map(({ id }) => id),
    related_notable_ids: matching.top().map(({ id }) => id),
    total_related: collisions.total + matching.total,
    checked_against: {
      activities: proposal.emptiness ? 0 : all.length,
      notables: notes.length,
      as_of: now.toISOString(),
      complete: proposal.emptiness !== 'nothing_given',
    },
  }
}

function newestFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? 1 : -1
}

function plenty() {
  return { remaining: 100_000_000 }
}

test('a check has the result of comparing every record, after any sequence of changes', {
  timeout: 120_000,
}, async () => {
  const proposals = record({
    scope: scopes,
    tags: fc.array(labels, { maxLength: 1 }),
    branch: fc.constantFrom(null, null, 'one'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(settings, noiseAttributes),
      fc.array(event, { minLength: 5, maxLength: 25 }),
      fc.array(proposals, { minLength: 3, maxLength: 5 }),
      async (set, events, proposed) => {
        const repo = repository()
        await repo.configure(...set)
        const ids: string[] = []
        for (const each of events) await happen(repo, each, ids)
        for (const given of proposed) {
          expect(await repo.check({ ...given })).toMatchObject(await bruteForce(repo, given, set))
        }
        // At the end no claims are left.
        service.clock.advance(400 * HOUR_MS)
        await sweep(service.app)
        const left = await service.app.database
          .connection()
          .select()
          .from(claims)
          .where(eq(claims.repo_id, repo.id))
        expect(left).toEqual([])
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
