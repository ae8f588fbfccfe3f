/** Every check and the list of all collisions find what a comparison of every two records finds, after any sequence of changes. */

import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparisonOf, type Proposal, proposalOf, rulesOf } from '../../src/engine/check/compare.ts'
import type { AttributeRule } from '../../src/engine/lines/noise.ts'
import { storedScopeOf } from '../../src/engine/records/activity.ts'
import { asOf } from '../../src/engine/records/activity-lifecycle.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { type ActivityRow, activities } from '../../src/server/records/activities/table.ts'
import { notables } from '../../src/server/records/notables/table.ts'
import { isLive } from '../../src/vocabulary/activity-status.ts'
import { newId } from '../../src/vocabulary/contract/field.ts'
import type { Overlap } from '../../src/vocabulary/contract/overlap-list.ts'
import { fileGlob, matchesPath, parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { takePairs } from '../../src/vocabulary/scope/path-set.ts'
import {
  activityWeight,
  bySeverity,
  higher,
  highest,
  notableWeight,
  overlapSeverity,
  type Severity,
} from '../../src/vocabulary/severity.ts'
import {
  type ComparedSettings,
  labels,
  noiseAttributes,
  record,
  risk,
  scopes,
  settings,
} from '../support/arbitrary-scopes.ts'
import { insertLive, type TestRepository, useRepositories } from '../support/repository.ts'
import { atOnce } from '../support/steps.ts'

const fixture = useRepositories()
const { repository } = fixture

const HOUR_MS = 3_600_000
/** Set the variable for a longer run by hand. */
const RUNS = Number(process.env.OVERLAP_RUNS ?? 20)
const later = (hours: number) => new Date(fixture.service.clock.now.getTime() + hours * HOUR_MS)

const importance = fc.constantFrom('low', 'medium', 'high', 'critical')
const hours = fc.integer({ min: 1, max: 13 })
const branch = fc.constantFrom(null, 'main', 'a', 'b', 'c', 'd', 'e')
/** Branches that may be stacked, or `one`, which is not. */
const branches = fc.oneof(
  { weight: 4, arbitrary: record({ branch, base_branch: branch }) },
  { weight: 1, arbitrary: fc.constant({ branch: 'one', base_branch: null }) },
)
const given = <What extends string, Values extends object>(
  weight: number,
  what: What,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
) => ({ weight, arbitrary: record(values).map((each) => ({ what, ...each })) })
const event = fc.oneof(
  given(6, 'work', { branches, body: record({ scope: scopes, risk, blocking: fc.boolean() }) }),
  given(2, 'track', { branches, scope: scopes }),
  given(4, 'note', {
    body: record({ scope: scopes, importance, blocking: fc.boolean() }),
    until: fc.oneof(fc.constant(null), hours),
  }),
  given(4, 'change', {
    which: fc.nat(),
    body: fc.oneof(
      record({ scope: scopes }),
      record({ risk }),
      record({ blocking: fc.boolean() }),
      branches,
      record({ heartbeat: fc.constant(true) }),
      record({ status: fc.constantFrom('paused', 'merged', 'abandoned', 'archived') }),
    ),
    noteBody: fc.oneof(record({ scope: scopes }), record({ importance }), record({ blocking: fc.boolean() })),
  }),
  given(1, 'archive', { which: fc.nat() }),
  given(1, 'supersede', { which: fc.nat(), scope: scopes }),
  given(1, 'wait', { hours }),
  given(1, 'sweep', {}),
)
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never

/** Stores the activity of a pull request, whose paths are the names of files. */
async function track(repo: TestRepository, { scope, branches }: Extract<Event, { what: 'track' }>) {
  const { now } = fixture.service.clock
  const text = { title: 'a', summary: 'a', actor: 'a', status: 'ready-for-review', risk: 'low' } as const
  const times = { created_at: now, updated_at: now, expires_at: later(5) }
  const pull = { source: 'pull_request', pr_number: 7, pr_url: 'https://github.com/acme/r0/pull/7' } as const
  const flags = { draft_pr: false, blocking: false, scope_is_literal: true }
  const key = { repo_id: repo.id, id: newId('act', now) }
  const row = { ...key, ...text, ...times, ...pull, ...flags, ...branches, scope }
  return (await insertLive(fixture.service.app.database.connection(), row)).id
}

/** Applies one event. Events that the state of a record forbids are ignored. */
async function happen(repo: TestRepository, each: Event, ids: string[]): Promise<void> {
  const chosen = 'which' in each && ids.length > 0 ? ids[each.which % ids.length] : undefined
  const address = chosen && `/${chosen.startsWith('act') ? 'activity' : 'notables'}/${chosen}`
  switch (each.what) {
    case 'work':
      ids.push(await repo.createActivity({ ...each.body, ...each.branches }))
      return
    case 'track':
      ids.push(await track(repo, each))
      return
    case 'note': {
      const applies_until = each.until && later(each.until).toISOString()
      ids.push(await repo.createNotable({ ...each.body, applies_until }))
      return
    }
    case 'change': {
      const body = chosen?.startsWith('act') ? each.body : each.noteBody
      if (address) await repo.request('PATCH', address, { body })
      return
    }
    case 'archive':
      if (address) await repo.request('POST', `${address}/archive`)
      return
    case 'supersede':
      if (chosen?.startsWith('ntb'))
        ids.push(await repo.createNotable({ scope: each.scope, supersedes: [chosen] }))
      return
    case 'wait':
      fixture.service.clock.advance(each.hours * HOUR_MS)
      return
    case 'sweep':
      await sweep(fixture.service.app)
  }
}

async function liveIn(repo: TestRepository): Promise<ActivityRow[]> {
  const db = fixture.service.app.database.connection()
  const rows = await db.select().from(activities).where(eq(activities.repo_id, repo.id))
  return rows
    .map((row) => asOf(row, fixture.service.clock.now))
    .filter(({ status }) => isLive(status))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function notesIn(repo: TestRepository) {
  const { now } = fixture.service.clock
  const isActive = and(eq(notables.repo_id, repo.id), eq(notables.status, 'active'))
  const rows = await fixture.service.app.database.connection().select().from(notables).where(isActive)
  return rows.filter((row) => row.expires_at > now && (row.applies_until === null || row.applies_until > now))
}

interface Proposed {
  scope: { areas: string[]; paths: string[] }
  tags: string[]
  branch: string | null
}
type Rules = ReturnType<typeof rulesOf>
interface Found {
  id: string
  severity: Severity
  areas: string[]
  paths: unknown[]
}

/** What a proposal and a record share; null if that is nothing. */
function sharedBy(proposal: Proposal, row: Parameters<typeof storedScopeOf>[0], rules: Rules) {
  const { areas, pairs } = comparisonOf(proposal, storedScopeOf(row), rules)
  const paths = atOnce(takePairs(pairs, 20))
  return areas.length + paths.length > 0 ? { areas, paths } : null
}

/** The result of a check, by comparing with every record. */
async function checked(repo: TestRepository, given: Proposed, rules: Rules) {
  const [all, notes] = [await liveIn(repo), await notesIn(repo)]
  const own = all.filter((row) => given.branch !== null && row.branch === given.branch)
  const sent = [storedScopeOf(given), storedScopeOf({ scope: { areas: given.tags, paths: [] } })]
  const isUnscoped = given.scope.areas.length + given.scope.paths.length === 0
  const declared = isUnscoped ? own.toReversed().map(storedScopeOf) : []
  const proposal = atOnce(proposalOf([...sent, ...declared], rules))
  const collisions = all.flatMap((row): Found[] => {
    const match = proposal.emptiness || own.includes(row) ? null : sharedBy(proposal, row, rules)
    if (!match) return []
    const by = match.paths.length > 0 ? 'path' : 'area'
    return [{ id: row.id, severity: overlapSeverity(by, activityWeight(row)), ...match }]
  })
  const matching = notes.flatMap((row): Found[] => {
    const isEverywhere = row.scope.areas.length + row.scope.paths.length === 0
    const match = isEverywhere ? { areas: [], paths: [] } : sharedBy(proposal, row, rules)
    return match ? [{ id: row.id, severity: overlapSeverity('notable', notableWeight(row)), ...match }] : []
  })
  const matches = [...collisions.sort(bySeverity), ...matching.sort(bySeverity)]
  return {
    severity: highest(matches),
    matches,
    related_activity_ids: collisions.map(({ id }) => id),
    related_notable_ids: matching.map(({ id }) => id),
    total_related: matches.length,
    checked_against: {
      activities: proposal.emptiness ? 0 : all.length,
      notables: notes.length,
      as_of: fixture.service.clock.now.toISOString(),
      complete: proposal.emptiness !== 'nothing_given',
    },
  }
}

/** All branches that the links between `names` and others lead to, one by one over all live activities. */
function reach(names: Iterable<string | null>, links: [from: string | null, to: string | null][]) {
  const reached = new Set([...names].filter((name) => name !== null))
  for (const _ of links)
    for (const [from, to] of links) if (from !== null && to !== null && reached.has(from)) reached.add(to)
  return reached
}
const downwards = (rows: ActivityRow[]) =>
  rows.map(({ branch, base_branch }): [string | null, string | null] => [branch, base_branch])
const upwards = (rows: ActivityRow[]) =>
  rows.map(({ branch, base_branch }): [string | null, string | null] => [base_branch, branch])

/** Whether a check of `work` leaves `other` out: own, stacked, or for another base branch. */
function leavesOut(work: ActivityRow, other: ActivityRow, live: ActivityRow[]): boolean {
  const isOwn = (each: ActivityRow) => each === work || (work.branch !== null && each.branch === work.branch)
  const elsewhere = live.filter(({ base_branch }) => base_branch !== work.branch)
  const bases = live
    .filter(isOwn)
    .map(({ base_branch }) => base_branch)
    .filter((name) => name !== work.branch)
  const below = reach(bases, downwards(elsewhere))
  const above = reach([work.branch], upwards(live))
  const has = (names: Set<string>, name: string | null) => name !== null && names.has(name)
  if (isOwn(other) || has(below, other.branch)) return true
  if (work.branch !== null && has(above, other.base_branch)) return true
  if (work.base_branch === null || other.base_branch === null || work.base_branch === other.base_branch)
    return false
  return ![...reach([other.base_branch], downwards(live))].some((name) => below.has(name))
}

/** The list of all collisions, by comparing every two activities. */
function listed(live: ActivityRow[], rules: Rules) {
  return live.flatMap((older, index) =>
    live.slice(index + 1).flatMap((newer) => {
      if (leavesOut(older, newer, live) && leavesOut(newer, older, live)) return []
      const proposal = atOnce(proposalOf([storedScopeOf(older)], rules))
      const match = sharedBy(proposal, newer, rules)
      if (!match) return []
      const by = match.paths.length > 0 ? 'path' : 'area'
      const [one, other] = [older, newer].map((row) => overlapSeverity(by, activityWeight(row))) as [
        Severity,
        Severity,
      ]
      return [
        {
          activity_ids: [older.id, newer.id],
          severity: higher(one, other),
          areas: match.areas.toSorted(),
          shared: Math.min(3, new Set(match.paths.map(({ yours, theirs }) => `${yours}\0${theirs}`)).size),
        },
      ]
    }),
  )
}

const idsOf = ({ activity_ids }: { activity_ids: string[] }) => activity_ids.join()
const sorted = <Pair extends { activity_ids: string[] }>(all: Pair[]) =>
  all.toSorted((a, b) => (idsOf(a) < idsOf(b) ? -1 : 1))

/** An example must match the stored globs of both. */
function expectExamples({ activity_ids, paths }: Overlap, live: ActivityRow[]): void {
  for (const { globs, example } of paths)
    for (const [side, source] of globs.entries()) {
      const row = live.find(({ id }) => id === activity_ids[side])
      const isFile = row?.scope_is_literal && row.scope.paths.includes(source)
      const glob = isFile ? fileGlob(source) : parseGlob(source)
      expect(matchesPath(glob, example), `${source} matches ${example}`).toBe(true)
    }
}

async function expectList(repo: TestRepository, rules: Rules): Promise<void> {
  const live = await liveIn(repo)
  const pairs = listed(live, rules)
  const { body } = await repo.request('GET', '/overlaps')
  const items = body.items as Overlap[]
  const found = items.map(({ activity_ids, severity, areas, paths }) => ({
    activity_ids,
    severity,
    areas: areas.toSorted(),
    shared: paths.length,
  }))
  // A glob of an area may be listed several times for one pair of paths.
  const counted = sorted(found).map((each, at) => {
    const { shared = 0 } = sorted(pairs)[at] ?? {}
    return each.shared >= shared && shared > 0 && each.shared <= 3 ? { ...each, shared } : each
  })
  expect(counted).toEqual(sorted(pairs))
  const order = items.map(({ severity, activity_ids: [older, newer] }) => ({
    severity,
    id: `${newer}${older}`,
  }))
  expect(order).toEqual(order.toSorted(bySeverity))
  for (const each of items) expectExamples(each, live)
  expect(body.total).toBe(pairs.length)
  expect(body.checked_against).toMatchObject({ activities: live.length, complete: true, reason: null })

  const related = new Set<string>()
  for (const { id, scope } of live) {
    if (scope.areas.length + scope.paths.length === 0) continue
    const { overlap } = (await repo.request('GET', `/activity/${id}`)).body
    for (const other of overlap.related_activity_ids) related.add([id, other].sort().join())
  }
  expect([...related].sort()).toEqual(items.map(idsOf).sort())
}

test('each overlap by path or area is found, and nothing else', { timeout: 120_000 }, async () => {
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
      async (set: [ComparedSettings, AttributeRule[]], events, proposed) => {
        const repo = repository()
        await repo.configure(...set)
        const ids: string[] = []
        for (const each of events) await happen(repo, each, ids)
        const rules = rulesOf(...set)
        for (const given of proposed)
          expect(await repo.check({ ...given })).toMatchObject(await checked(repo, given, rules))
        await expectList(repo, rules)
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
