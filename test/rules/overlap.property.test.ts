/** Every check and the list of all collisions find what a comparison of every two records finds, after any sequence of changes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparisonOf, type Proposal, proposalOf, rulesOf } from '../../src/engine/check/compare.ts'
import type { AttributeRule } from '../../src/engine/lines/noise.ts'
import { storedScopeOf } from '../../src/engine/records/activity.ts'
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
import { liveRecords } from '../support/live-records.ts'
import { atOnce } from '../support/steps.ts'

type Records = ReturnType<typeof liveRecords>
type Activity = ReturnType<Records['live']>['activities'][number]
type Rules = ReturnType<typeof rulesOf>

/** Set the variable for a longer run by hand. */
const RUNS = Number(process.env.OVERLAP_RUNS ?? 40)

const branch = fc.constantFrom(null, 'main', 'a', 'b', 'c', 'd', 'e')
const branches = record({ branch, base_branch: branch })
const work = record({ scope: scopes, risk, blocking: fc.boolean() })
const given = <What extends string, Values extends object>(
  weight: number,
  what: What,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
) => ({ weight, arbitrary: record(values).map((each) => ({ what, ...each })) })
const event = fc.oneof(
  given(6, 'work', { work, branches }),
  // The paths of the activity of a pull request are the names of files.
  given(2, 'track', { scope: scopes, branches }),
  given(3, 'note', { work }),
  given(4, 'change', { which: fc.nat(), work, branches }),
  given(2, 'end', { which: fc.nat() }),
)
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never

async function happen(records: Records, each: Event): Promise<void> {
  const { activities, notes } = records.live()
  const any = (all: { id: string }[]) => ('which' in each ? (all[each.which % all.length]?.id ?? '') : '')
  if (each.what === 'work') await records.activity({ ...each.work, ...each.branches })
  if (each.what === 'track')
    await records.activity(each.branches, { scope_is_literal: true, scope: each.scope })
  if (each.what === 'note') {
    const { risk: importance, ...rest } = each.work
    records.notable({ ...rest, importance })
  }
  if (each.what === 'change' && activities.length > 0)
    await records.activity({ ...each.work, ...each.branches }, { id: any(activities) })
  const all = [...activities, ...notes]
  if (each.what === 'end' && all.length > 0) records.end(any(all))
}

/** What a proposal and a record share; null if that is nothing. */
function sharedBy(proposal: Proposal, row: Parameters<typeof storedScopeOf>[0], rules: Rules) {
  const { areas, pairs } = comparisonOf(proposal, storedScopeOf(row), rules)
  const paths = atOnce(takePairs(pairs, 20))
  const by = paths.length > 0 ? ('path' as const) : ('area' as const)
  return areas.length + paths.length > 0 ? { areas, paths, by } : null
}

type Branches = Pick<Activity, 'branch' | 'base_branch'>
type Link = [from: string | null, to: string | null]

/** All branches that the links between `names` and others lead to, one by one over all live activities. */
function reach(names: Iterable<string | null>, links: Link[]): Set<string | null> {
  const reached = new Set([...names].filter((name) => name !== null))
  for (const _ of links)
    for (const [from, to] of links) if (from !== null && to !== null && reached.has(from)) reached.add(to)
  return reached
}
const downwards = (rows: Branches[]) => rows.map(({ branch, base_branch }): Link => [branch, base_branch])
const upwards = (rows: Branches[]) => rows.map(({ branch, base_branch }): Link => [base_branch, branch])

/** How an activity relates to work, apart from what both share. */
function relation(work: Branches, other: Branches, live: Branches[]) {
  const isOwn = (each: Branches) => each === work || (work.branch !== null && each.branch === work.branch)
  const elsewhere = live.filter(({ base_branch }) => base_branch !== work.branch)
  const bases = [work, ...live.filter(isOwn)].map(({ base_branch }) => base_branch)
  const below = reach(
    bases.filter((name) => name !== work.branch),
    downwards(elsewhere),
  )
  if (isOwn(other)) return 'own'
  const above = reach([work.branch], upwards(live))
  const isAbove = [other.branch, other.base_branch].some((name) => above.has(name))
  if (isAbove || below.has(other.branch)) return 'stacked'
  const [one, another] = [work.base_branch, other.base_branch]
  if (one === null || another === null || one === another) return 'collision'
  return [...reach([another], downwards(live))].some((name) => below.has(name)) ? 'collision' : 'other_base'
}

interface Found {
  id: string
  severity: Severity
  areas: string[]
  paths: unknown[]
}
type Proposed = Pick<Activity, 'scope'> & Branches & { tags: string[] }

function checked(records: Records, { scope, tags, branch, base_branch }: Proposed, rules: Rules) {
  const { activities, notes } = records.live()
  const isOwn = (row: Activity) => branch !== null && row.branch === branch
  const own = activities.filter(isOwn).sort((a, b) => (a.id < b.id ? 1 : -1))
  const based = own.find(({ base_branch }) => base_branch !== null)?.base_branch ?? null
  const work = { branch, base_branch: base_branch ?? based }
  const sent = [storedScopeOf({ scope }), storedScopeOf({ scope: { areas: tags, paths: [] } })]
  const declared = scope.areas.length + scope.paths.length === 0 ? own.map(storedScopeOf) : []
  const proposal = atOnce(proposalOf([...sent, ...declared], rules))
  const relationships: Record<string, string> = {}
  const collisions = activities.flatMap((row): Found[] => {
    const how = relation(work, row, activities)
    const match = proposal.emptiness === null ? sharedBy(proposal, row, rules) : null
    if (match || how === 'own' || how === 'stacked') relationships[row.id] = how
    if (!match || how !== 'collision') return []
    const { by, ...shared } = match
    return [{ id: row.id, severity: overlapSeverity(by, activityWeight(row)), ...shared }]
  })
  const matching = notes.flatMap((row): Found[] => {
    const isEverywhere = row.scope.areas.length + row.scope.paths.length === 0
    const match = isEverywhere ? { areas: [], paths: [] } : sharedBy(proposal, row, rules)
    const { areas, paths } = match ?? {}
    const severity = overlapSeverity('notable', notableWeight(row))
    return areas && paths ? [{ id: row.id, severity, areas, paths }] : []
  })
  const matches = [...collisions.sort(bySeverity), ...matching.sort(bySeverity)]
  return {
    severity: highest(matches),
    matches,
    relationships,
    related_activity_ids: collisions.map(({ id }) => id),
    related_notable_ids: matching.map(({ id }) => id),
    total_related: matches.length,
    checked_against: {
      activities: proposal.emptiness ? 0 : activities.length,
      notables: notes.length,
      complete: proposal.emptiness !== 'nothing_given',
    },
  }
}

/** The list of all collisions, by comparing every two activities. */
function listed(live: Activity[], rules: Rules) {
  return live.flatMap((older, index) =>
    live.slice(index + 1).flatMap((newer) => {
      const isApart = [relation(older, newer, live), relation(newer, older, live)]
      if (!isApart.includes('collision')) return []
      const match = sharedBy(atOnce(proposalOf([storedScopeOf(older)], rules)), newer, rules)
      if (!match) return []
      const [one, other] = [older, newer].map((row) => overlapSeverity(match.by, activityWeight(row)))
      const severity = higher(one as Severity, other as Severity)
      const pairs = new Set(match.paths.map(({ yours, theirs }) => `${yours}\0${theirs}`))
      const shared = { areas: match.areas.toSorted(), shared: Math.min(3, pairs.size) }
      return [{ activity_ids: [older.id, newer.id], severity, ...shared }]
    }),
  )
}

type Overlap = Awaited<ReturnType<Records['overlaps']>>['items'][number]

/** An example must match the stored globs of both. */
function expectExamples({ activity_ids, paths }: Overlap, live: Activity[]): void {
  for (const { globs, example } of paths)
    for (const [side, source] of globs.entries()) {
      const row = live.find(({ id }) => id === activity_ids[side])
      const isFile = row?.scope_is_literal && row.scope.paths.includes(source)
      const glob = isFile ? fileGlob(source) : parseGlob(source)
      expect(matchesPath(glob, example), `${source} matches ${example}`).toBe(true)
    }
}

async function expectList({ overlaps, checkActivity, live }: Records, rules: Rules): Promise<void> {
  const { activities } = live()
  const pairs = listed(activities, rules)
  const { items, total, checked_against } = await overlaps()
  const byIds = new Map(pairs.map((each) => [each.activity_ids.join(), each.shared]))
  const found = items.map(({ activity_ids, severity, areas, paths }) => {
    // A glob of an area may be listed several times for one pair of paths.
    const least = byIds.get(activity_ids.join()) ?? 0
    const shared = paths.length >= least && least > 0 && paths.length <= 3 ? least : paths.length
    return { activity_ids, severity, areas: areas.toSorted(), shared }
  })
  const ranked = pairs.map((each) => ({ ...each, id: each.activity_ids.toReversed().join() }))
  expect(found).toEqual(ranked.sort(bySeverity).map(({ id: _, ...each }) => each))
  for (const each of items) expectExamples(each, activities)
  expect(total).toBe(pairs.length)
  expect(checked_against).toMatchObject({ activities: activities.length, complete: true, reason: null })

  const related = new Set<string>()
  for (const { id, scope } of activities) {
    if (scope.areas.length + scope.paths.length === 0) continue
    for (const other of (await checkActivity(id)).related_activity_ids) related.add([id, other].sort().join())
  }
  expect([...related].sort()).toEqual([...byIds.keys()].sort())
}

test('each overlap by path or area is found, and nothing else', async () => {
  const tags = fc.array(labels, { maxLength: 1 })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(settings, noiseAttributes),
      fc.array(event, { minLength: 5, maxLength: 25 }),
      fc.array(record<Proposed>({ scope: scopes, tags, branch, base_branch: branch }), {
        minLength: 3,
        maxLength: 5,
      }),
      async ([set, attributes]: [ComparedSettings, AttributeRule[]], events, proposed) => {
        const records = liveRecords(set, undefined, { noise_attributes: attributes })
        const rules = rulesOf(set, attributes)
        for (const each of events) {
          await happen(records, each)
          await records.check({ scope: { paths: ['a/**'] } })
        }
        for (const given of proposed)
          expect(await records.check(given)).toMatchObject(checked(records, given, rules))
        await expectList(records, rules)
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
