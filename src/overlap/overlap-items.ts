/** The collisions of a repository as they are listed (contract §6 and §11). Pure. */
import type { Participant, SharedGlob } from './collisions.ts'
import { exampleOf } from './glob-table.ts'
import type { JudgedCollision } from './judged-collisions.ts'
import { type Overlap, SHARED_PATHS_MAX, type SharedPath } from './overlap-list.ts'
import { judgedPath, relationOf } from './relation.ts'
import type { Steps, WorkBudget } from './work-budget.ts'

/** If the budget is exhausted, examples of shared paths are missing. */
export function* overlapItems(
  collisions: readonly JudgedCollision[],
  participants: readonly Participant[],
  budget: WorkBudget,
): Steps<Overlap[]> {
  const items: Overlap[] = []
  for (const each of collisions) {
    if (budget.isPauseDue) yield
    const [older, newer] = [participants[each.older], participants[each.newer]] as [Participant, Participant]
    items.push({
      activity_ids: [older.id, newer.id],
      severity: each.severity,
      areas: each.areas,
      paths: pathsOf(each, budget),
      ...relationOf(older, newer, each.judgment),
    })
  }
  return items
}

function pathsOf({ judgment, files, shared }: JudgedCollision, budget: WorkBudget): SharedPath[] {
  const judged = judgment?.files.map((file): SharedPath => {
    const { example, verdict, confidence, your_lines, their_lines } = judgedPath(file)
    const line_ranges: SharedPath['line_ranges'] =
      your_lines === null && their_lines === null ? null : [your_lines, their_lines]
    return { globs: [example, example], example, verdict, confidence, line_ranges }
  })
  const unjudged = judged ? shared : [...files, ...shared]
  const left = SHARED_PATHS_MAX - (judged?.length ?? 0)
  return [...(judged ?? []), ...unjudged.slice(0, left).flatMap((each) => unjudgedPath(each, budget))]
}

function unjudgedPath({ glob, meeting }: SharedGlob, budget: WorkBudget): SharedPath[] {
  const example = exampleOf(meeting, budget)
  if (example === null) return []
  const globs = [glob.source, meeting.other.source]
  return [{ globs, example, verdict: null, confidence: null, line_ranges: null }]
}
