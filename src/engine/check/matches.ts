/** Reads the records that a check found, and determines what each shares with the proposal. */

import type { Steps } from '../../vocabulary/clock.ts'
import { PAIRS_MAX, type PathPair } from '../../vocabulary/contract/overlap.ts'
import { consequenceOf, takenIn } from '../../vocabulary/finding.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { isBot } from '../../vocabulary/names.ts'
import { type GlobPair, takePairs } from '../../vocabulary/scope/path-set.ts'
import { activityWeight, bySeverity, higher, type Ranked } from '../../vocabulary/severity.ts'
import { NOT_COMPARED } from '../../vocabulary/verdict.ts'
import { type Comparison, severityOf, sharedIssue } from '../kinds/kinds.ts'
import type { FileVerdict } from '../lines/pair-verdict.ts'
import { type ComparedActivity, storedScopeOf } from '../records/activity.ts'
import type { StoredNotable } from '../records/notable.ts'
import { comparisonOf, pairsWithoutFiles, rulesOf, scopeFindings } from './compare.ts'
import type { FoundWork } from './find.ts'
import { findNextNumbers } from './next-number.ts'
import { intentOf, isSameAuthor } from './sides.ts'
import type { CheckedWork, Conclusion, Found } from './source.ts'

/** Reads the found records, and compares each with the proposal once. */
export async function readMatches(
  work: CheckedWork,
  found: Pick<FoundWork, 'activities' | 'notables' | 'comparisons'>,
): Promise<Pick<Conclusion, 'collisions' | 'notables'>> {
  const { activities, notables, comparisons } = found
  const { base_branch, side, ctx } = work
  const { source, settings, repo, caller } = ctx
  // What was found is shown, however long it took.
  const rules = rulesOf(settings, repo.noise_attributes, caller.meter.deadline())
  const shown = { proposal: work.proposal, rules }
  const ids = (ranked: Ranked[]) => ranked.map(({ id }) => id)
  const [rows, notes] = await Promise.all([
    source.activities(ids(activities)),
    notables.length === 0 ? [] : source.notables(ids(notables)),
  ])
  const shared = activities.flatMap(({ id }) => takenIn(comparisons.get(id)?.findings ?? []))
  const next = await findNextNumbers(ctx, { base_branch, files: side.files }, shared)
  const withNext = (each: Finding) =>
    each.kind === 'number' ? { ...each, next: next.get(each.directory) ?? null } : each
  const collisions = recordsIn(activities, rows).map((each) => {
    const comparison = comparisons.get(each.id)
    const intent = intentOf(each.record, ctx)
    const findings = comparison ? comparison.findings.map(withNext) : sharedIssue(side, intent)
    const by = { login: intent.author.login ?? '', is_of_type_bot: false }
    const is_bot = isBot(by, settings.comment)
    return { ...each, comparison, findings, is_bot, same_author: isSameAuthor(side.author, intent.author) }
  })
  const matching = recordsIn(notables, notes).map((each) => ({
    ...each,
    ...{ findings: [], is_bot: false, same_author: false },
  }))
  return {
    collisions: (await rules.deadline.run(withPlaces(collisions, shown))).map(withScopes).sort(bySeverity),
    notables: (await rules.deadline.run(withPlaces(matching, shown))).map(asNotable),
  }
}

/** The ranked records, in their order, without those that were deleted in the meantime. */
function recordsIn<Row extends { id: string }>(ranked: readonly Ranked[], records: readonly Row[]) {
  const byId = new Map(records.map((record) => [record.id, record]))
  return ranked.flatMap((each) => {
    const record = byId.get(each.id)
    return record ? [{ ...each, record }] : []
  })
}

interface Unmatched<Row> extends Ranked {
  record: Row
  findings: Finding[]
  is_bot: boolean
  same_author: boolean
  /** Undefined if its lines were not compared. */
  comparison?: Comparison | undefined
}

/** Gives each record its files with their verdicts, or one pair of paths if it has none. Then adds more pairs until the deadline. */
function* withPlaces<Row extends Parameters<typeof storedScopeOf>[0]>(
  found: Unmatched<Row>[],
  { proposal, rules }: Pick<CheckedWork, 'proposal' | 'rules'>,
): Steps<Found<Row>[]> {
  const shown: (Found<Row> & { pairs: Iterator<GlobPair | undefined> })[] = []
  for (const { comparison, findings, same_author, is_bot, ...each } of found) {
    const is_by_lines = comparison !== undefined
    const scope = storedScopeOf(each.record)
    const { areas, ...all } = comparisonOf(proposal, scope, rules)
    const pairs = is_by_lines ? pairsWithoutFiles(proposal, scope, rules) : all.pairs
    const paths = comparison?.files.map(pairOfFile) ?? []
    if (paths.length === 0) paths.push(...(yield* takePairs(pairs, 1)).map(pairOfGlobs))
    const heads = new Map(comparison?.files.map((file) => [file.path, file.your_head]))
    const whose = { same_author, is_bot }
    const match = { consequence: null, findings, areas, paths, ...whose, cut: comparison?.cut ?? false }
    shown.push({ ...each, match, heads, is_by_lines, pairs })
    yield
  }
  for (const { match, pairs } of shown) {
    const more = yield* takePairs(pairs, PAIRS_MAX - match.paths.length)
    match.paths.push(...more.map(pairOfGlobs))
    yield
  }
  return shown.map(({ pairs: _, ...each }) => each)
}

/** Adds the findings about declared paths and areas, and what all of them lead to. Work on one issue may be found by a path. */
function withScopes(found: Found<ComparedActivity>): Found<ComparedActivity> {
  const { match, is_by_lines, record } = found
  // Where the lines of both are known, the paths were found with them.
  const inScopes = is_by_lines ? [] : scopeFindings(match.paths, match.areas)
  const findings = [...match.findings, ...inScopes]
  const severity = higher(found.severity, severityOf(findings, activityWeight(record)) ?? 'low')
  return {
    ...found,
    severity,
    match: { ...match, findings, consequence: consequenceOf(findings) ?? 'possible' },
  }
}

function asNotable(found: Found<StoredNotable>): Found<StoredNotable> {
  const { match, record } = found
  const finding: Finding = {
    kind: 'notable',
    path: match.paths[0]?.example ?? null,
    url: record.decision_url,
  }
  return { ...found, match: { ...match, findings: [finding] } }
}

export function pairOfFile({ path, verdict, confidence, your_lines, their_lines }: FileVerdict): PathPair {
  return { yours: path, theirs: path, example: path, verdict, confidence, your_lines, their_lines }
}

export function pairOfGlobs(pair: GlobPair): PathPair {
  return { ...pair, ...NOT_COMPARED }
}
