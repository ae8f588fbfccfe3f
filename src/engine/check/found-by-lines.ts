/** Ranks the activities that a check found by their changed lines. Bounded. */

import type { Budget } from '../../vocabulary/budget.ts'
import { PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { inTurns, type Steps } from '../../vocabulary/event-loop.ts'
import { byConsequence, consequenceOf } from '../../vocabulary/finding.ts'
import { activityWeight, bySeverity, type Ranked, type Weight } from '../../vocabulary/severity.ts'
import { type Comparison, compareSides, isCommon, withoutDuplicate } from '../kinds/compare.ts'
import { severityOf } from '../kinds/kinds.ts'
import { type DigestedFile, type DigestedSide, digestedSide, type Intent } from '../kinds/side.ts'
import { type FileIndex, indexFiles, sharedFiles } from '../lines/pair-verdict.ts'
import { storedScopeOf } from '../records/compared-scope.ts'
import { declaredPairs, scopeFindings } from './compare.ts'
import type { Rules } from './rules.ts'
import { sideOf, withDigests } from './sides.ts'
import type { CheckContext, CheckedWork, Names } from './source.ts'

/** The maximum number of activities whose lines are compared in one check. */
export const BY_LINES_MAX = 2_000
/** The number of activities that are read at once. */
export const ROWS = 200
/** The budget of one check, in units of about 5 ns, and how many of them count as one unit of the meter. */
export const LINE_UNITS_MAX = 20_000_000
export const LINES_PER_UNIT = 3
/** Cost units of looking for the changes of one side among those of another. */
const LOOK_UP_COST = 10
/** Cost units of reading one changed file of an activity. */
export const FILE_COST = 100

export interface RankedByLines {
  /** Those that overlap, the most severe first, then the newest. */
  ranked: Ranked[]
  /** The ids of those that only change the same files, with their lines apart, the newest first. */
  same_file: string[]
  /** How many share nothing that counts, such as only noise. */
  left_out: number
  /** By activity id; none for an activity without changed files. */
  comparisons: ReadonlyMap<string, Comparison>
  /** False if the budget was exhausted before the last activity. */
  complete: boolean
}

/** A side with its files by name, which are those that other sides can have too. */
export interface IndexedSide extends DigestedSide {
  files: readonly DigestedFile[]
  index: FileIndex<DigestedFile>
}

/** `names`: those that other sides can have too. */
export async function indexedSide(
  side: Intent,
  files: readonly DigestedFile[],
  { names, rules }: { names: Names; rules: Rules },
): Promise<IndexedSide> {
  const index = new Map([...indexFiles(files)].filter(([name]) => names.has(name)))
  return { ...(await inTurns(digestedSide(side, files, rules))), files, index }
}

/** The files of work since it parted from other work: see `Source.since`. */
export async function filesSince(
  { source }: Pick<CheckContext, 'source'>,
  { id, other }: { id: string | null; other: string },
  budget: Budget,
): Promise<DigestedFile[] | undefined> {
  const since = await source.since?.(id, other)
  return since && inTurns(withDigests(since, since, budget))
}

/** Ranks activities by their changed lines. `found`: the activities with their severity by path, the most severe first. */
export async function rankByLines(
  work: CheckedWork,
  found: readonly Ranked[],
  openPulls: () => number,
): Promise<RankedByLines> {
  const budget = work.ctx.caller.meter.budget(LINE_UNITS_MAX, LINES_PER_UNIT)
  const own = await ownOf(work, budget)
  const ranked: Ranked[] = []
  const compared = new Map<string, Compared>()
  let complete = true
  for (let from = 0; from < found.length; from += ROWS) {
    const page = found.slice(from, from + ROWS)
    if (budget.remaining >= 0)
      for (const [id, each] of await comparePage(work, page, { own, budget })) compared.set(id, each)
    else complete = false
    ranked.push(...page.filter(({ id }) => !compared.has(id)))
  }
  await inTurns(leaveOutCommon([...compared.values()], { own, work, openPulls, budget }))
  const same_file: string[] = []
  let left_out = 0
  for (const [id, { comparison, weight }] of compared) {
    const severity = severityOf(comparison.findings, weight)
    if (severity !== null) ranked.push({ id, severity })
    else if (consequenceOf(comparison.findings) === 'same_file') same_file.push(id)
    else left_out += 1
  }
  const comparisons = new Map([...compared].map(([id, { comparison }]) => [id, comparison]))
  complete = complete && budget.remaining >= 0
  return {
    ranked: ranked.sort(bySeverity),
    same_file: same_file.sort().reverse(),
    left_out,
    comparisons,
    complete,
  }
}

interface Compared {
  comparison: Comparison
  weight: Weight
  pr_number: number | null
}

/** The activities that have changed files, by id. */
async function comparePage(
  work: CheckedWork,
  page: readonly Ranked[],
  { own, budget }: { own: IndexedSide; budget: Budget },
): Promise<Map<string, Compared>> {
  const { ctx, pause, rules, proposal } = work
  const { noise, numbers } = rules
  const compared = new Map<string, Compared>()
  const rows = await ctx.source.activities(page.map(({ id }) => id))
  const sides = rows.map((row) => ({ id: row.id, row, side: sideOf(row, ctx) }))
  for await (const { each, stored } of ctx.source.files(sides)) {
    budget.remaining -= FILE_COST * each.side.files.length
    if (budget.remaining < 0) break
    const files = await inTurns(withDigests(each.side.files, stored, budget))
    const theirs = await inTurns(digestedSide(each.side, files, rules))
    const mine = await ownSince(each.id, own, work)
    const shared = sharedFiles(mine.index, files)
    await pause()
    const found = await inTurns(compareSides(mine, theirs, { shared, noise, numbers, budget }))
    // Areas say less than the lines that are known.
    const options = { rules, max: 1, budget: work.budget }
    const declared = declaredPairs(proposal, storedScopeOf(each.row), options)
    compared.set(each.id, {
      comparison: {
        ...found,
        findings: [...found.findings, ...scopeFindings(declared, [])].sort(byConsequence),
        files: found.files.slice(0, PAIRS_MAX),
      },
      weight: activityWeight(each.row),
      pr_number: each.row.pr_number,
    })
    await pause()
  }
  return compared
}

/**
 * Takes the duplicates away whose changes many others make too. How many make them is known by the files of the own side in
 * which each of them makes the same changes.
 */
function* leaveOutCommon(
  compared: readonly Compared[],
  {
    own,
    work,
    openPulls,
    budget,
  }: { own: IndexedSide; work: CheckedWork; openPulls(): number; budget: Budget },
): Steps<void> {
  const counts = new Map<string, number>()
  for (const each of compared) {
    const { contained, agreed } = each.comparison
    if (!contained.yours && !contained.theirs) continue
    if (budget.remaining < 0) return
    const changes = [...(contained.yours ? [...own.counted, ...own.manifests] : agreed)].sort()
    const key = JSON.stringify(changes)
    if (!counts.has(key)) {
      budget.remaining -= LOOK_UP_COST * compared.length
      const makers = compared.filter(({ comparison }) => changes.every((one) => comparison.agreed.has(one)))
      counts.set(key, pullsOf([...work.pull_requests, ...makers.map(({ pr_number }) => pr_number)]))
    }
    if (isCommon(counts.get(key) ?? 0, openPulls)) each.comparison = withoutDuplicate(each.comparison)
    yield
  }
}

/** How many pull requests there are among these. */
export function pullsOf(numbers: readonly (number | null)[]): number {
  return new Set(numbers.filter((each) => each !== null)).size
}

/** The side of the proposal. Its `index` leaves out the files that the settings ignore. */
async function ownOf(
  { proposal, side, readFiles, rules }: CheckedWork,
  budget: Budget,
): Promise<IndexedSide> {
  return indexedSide(side, await readFiles(budget), { names: proposal.files, rules })
}

/** The own side for a comparison with `other`. A file without lines may be one that is yet to be changed. */
async function ownSince(
  other: string,
  own: IndexedSide,
  { ctx, self, proposal, rules, budget }: CheckedWork,
): Promise<IndexedSide> {
  const since = await filesSince(ctx, { id: self[0] ?? null, other }, budget)
  if (since === undefined) return own
  const files = own.files.flatMap((file) => {
    const found = since.find(({ path }) => path === file.path)
    return found ? { ...found, origin: file.origin } : file.digest === null ? file : []
  })
  return indexedSide(own, files, { names: proposal.files, rules })
}
