/** Plays a history by shared numbers and parents alone: whom the service tells of whom, and all pairs that add to one directory. Pure. */
import { addedNumbers } from '../../../src/server/numbers/learn.ts'
import { FILES_MIN } from '../../../src/server/numbers/learned-store.ts'
import { directoryOf } from '../../../src/server/numbers/moved.ts'
import { type NumberRules, sharedTaken, takenPlaces, withLearned } from '../../../src/server/numbers/taken.ts'
import { rulesOf } from '../../../src/server/overlap/rules.ts'
import { DEFAULT_SETTINGS } from '../../../src/vocabulary/contract/settings.ts'
import type { Sequence } from '../../../src/vocabulary/verdict.ts'
import type { Branch } from '../commits.ts'
import type { Changed, ComparedHeads, Head } from '../heads.ts'
import { type Played, play } from '../play.ts'
import { DAY, type PullRequest } from '../pull-requests.ts'

/** A pull request by one of its heads. */
export interface Held {
  pr: Changed
  revision: Changed['revisions'][number]
}

/** Two heads that were live at the same time and add files to the same directory, or below the same root of Alembic. */
export interface Meeting {
  one: Held
  other: Held
  /** What both take by the rule of the service. `yours` is `one`. */
  sequence: Omit<Sequence, 'next'>[]
}

export interface Met {
  played: Played
  /** The meetings of each pair, in the order of events. */
  pairs: Meeting[][]
  /** Pull requests that take a number or a parent by one of their heads. */
  taking: Set<Changed>
}

/** Alembic reads all directories below this one. */
const ALEMBIC_ROOT = /^(?:.*\/)?versions(?=\/|$)/

/** The directories in which a file can take a number, or a parent. */
export function rootsOf(path: string): string[] {
  const directory = directoryOf(path)
  const [root] = path.endsWith('.py') ? (ALEMBIC_ROOT.exec(directory) ?? []) : []
  return root === undefined || root === directory ? [directory] : [directory, root]
}

export function meet(
  changed: readonly Changed[],
  { branches, since }: { branches: readonly Branch[]; since: number },
): Met {
  const held = new Map<Head, Held>()
  const rules = new Map<Head, NumberRules>()
  for (const [pr, revision, learned] of inOrder(changed)) {
    if (held.has(revision.changes)) continue
    held.set(revision.changes, { pr, revision })
    rules.set(revision.changes, learned)
  }
  const meetings = new Map<string, Map<string, Meeting>>()
  const compare = (yours: Head, theirs: Head): ComparedHeads => {
    const [one, other] = [held.get(yours), held.get(theirs)] as [Held, Held]
    const later = one.revision.at < other.revision.at ? theirs : yours
    const sequence = sharedTaken(yours.taking, theirs.taking, rules.get(later) as NumberRules)
    if (Math.abs(one.revision.at - other.revision.at) <= DEFAULT_SETTINGS.comment.stale_after_days * DAY) {
      const key = [one, other].map(({ pr }) => pr.n).toSorted((a, b) => a - b)
      const pair = meetings.get(key.join()) ?? new Map<string, Meeting>()
      meetings.set(key.join(), pair)
      const heads = [one, other].map(({ revision }) => revision.head).toSorted((a, b) => a - b)
      if (!pair.has(heads.join())) pair.set(heads.join(), { one, other, sequence })
    }
    return {
      lines: null,
      files: [],
      real: [],
      duplicate: null,
      sequence: sequence.map((each) => ({ ...each, next: null })),
      moved: null,
      cut: false,
    }
  }
  const { comment } = DEFAULT_SETTINGS
  const played = play(changed, { comment, branches, since, compare, keys: addedRoots })
  const taking = changed.filter(({ revisions }) =>
    revisions.some(({ changes }) => takenPlaces(changes.files, rules.get(changes)).length > 0),
  )
  const pairs = [...meetings.values()].map((pair) => [...pair.values()])
  return { played, pairs, taking: new Set(taking) }
}

function addedRoots({ branch }: PullRequest, { files }: Head): Set<string> {
  const added = files.filter(({ status }) => status === 'added' || status === 'renamed')
  return new Set(added.flatMap(({ path }) => rootsOf(path)).map((root) => `${branch} ${root}`))
}

/** All pushes in order of time, with the rules of the service after each: it learns directories from those before. */
function* inOrder(
  changed: readonly Changed[],
): Generator<[pr: Changed, revision: Held['revision'], rules: NumberRules]> {
  const { numbers } = rulesOf(DEFAULT_SETTINGS, [])
  const directories = new Map<string, { files: number; last: number }>()
  let learned: ReadonlyMap<string, number> = new Map()
  const pushes = changed.flatMap((pr) => pr.revisions.map((revision) => ({ pr, revision })))
  for (const { pr, revision } of pushes.toSorted((a, b) => a.revision.at - b.revision.at)) {
    for (const { directory, number } of addedNumbers(revision.changes.files)) {
      const before = directories.get(directory)
      if (before !== undefined && before.last >= number) continue
      const files = (before?.files ?? 0) + 1
      directories.set(directory, { files, last: number })
      if (files === FILES_MIN) learned = new Map([...learned, [directory, number]])
    }
    yield [pr, revision, withLearned(numbers, learned)]
  }
}
