/**
 * Merges two pull requests with `git merge-tree`, without the changes of the base branch between their merge bases. A
 * plain merge of two heads also reports the conflicts that one of them has with the base branch.
 */
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { narrow, type Tree, wholeTree } from './file-trees.ts'
import type { Git } from './git.ts'

/** The trees of a head and of its merge base, by id. */
export interface Side {
  tree: string
  base: string
}

/** A file of two sides. `moved` is rebased onto the base of `fixed`, and then merged with it. */
export interface SidePair {
  moved: Side
  fixed: Side
  /** The names that it has on either side. */
  paths: readonly string[]
}

/** `unknown`: `moved` conflicts with the base of `fixed`. */
export type Verdict = 'conflict' | 'clean' | 'unknown'

/** The number of merges per process. Progress is reported after each process. */
const BATCH = 250

/** Returns the verdicts in the order of `pairs`. */
export async function mergeSides(
  git: Git,
  pairs: readonly SidePair[],
  report: (line: string) => void,
): Promise<Verdict[]> {
  const trees = await narrow(
    git,
    pairs.map(({ moved, fixed, paths }) => ({
      trees: { base: moved.base, head: moved.tree, onto: fixed.base, other: fixed.tree },
      paths,
    })),
  )
  const isIn = ({ paths }: SidePair, { conflicts }: Merged) => paths.some((path) => conflicts.has(path))
  const rebased = await mergeAll(
    git,
    trees.map(({ base, head, onto }) => ({ base, ours: onto, theirs: head })),
    (done, all) => report(`rebased ${done} of ${all} files`),
  )
  const known = [...pairs.keys()].filter((at) => !isIn(pairs[at] as SidePair, rebased[at] as Merged))
  const merged = await mergeAll(
    git,
    known.map((at) => {
      const { onto, other } = trees[at] as (typeof trees)[number]
      return { base: onto, ours: (rebased[at] as Merged).tree, theirs: other }
    }),
    (done, all) => report(`merged ${done} of ${all} files`),
  )
  const verdicts = pairs.map((): Verdict => 'unknown')
  for (const [index, at] of known.entries())
    verdicts[at] = isIn(pairs[at] as SidePair, merged[index] as Merged) ? 'conflict' : 'clean'
  return verdicts
}

export interface ThreeWay {
  base: Tree
  ours: Tree
  theirs: Tree
}

export interface Merged {
  tree: Tree
  /** Paths. */
  conflicts: ReadonlySet<string>
}

/** Three-way merges, in order. Equal ones are made once. */
export async function mergeAll(
  git: Git,
  merges: readonly ThreeWay[],
  report: (done: number, all: number) => void = () => {},
): Promise<Merged[]> {
  const keyOf = ({ base, ours, theirs }: ThreeWay) => `${base}\0${ours}\0${theirs}`
  const distinct = new Map<string, ThreeWay>()
  for (const merge of merges) if (trivialMerge(merge) === null) distinct.set(keyOf(merge), merge)
  // Merges of the same base follow each other, so that git reads its files once.
  const keys = [...distinct.keys()].sort()
  const results = await mergeDistinct(
    git,
    keys.map((key) => distinct.get(key) as ThreeWay),
    report,
  )
  const merged = new Map(keys.map((key, index) => [key, results[index] as Merged]))
  return merges.map((merge) => trivialMerge(merge) ?? (merged.get(keyOf(merge)) as Merged))
}

/** The merge if only one side has changes, or both have the same; otherwise null. */
function trivialMerge({ base, ours, theirs }: ThreeWay): Merged | null {
  if (ours === base) return { tree: theirs, conflicts: NONE }
  return theirs === base || theirs === ours ? { tree: ours, conflicts: NONE } : null
}

const NONE: ReadonlySet<string> = new Set()

async function mergeDistinct(
  git: Git,
  merges: readonly ThreeWay[],
  report: (done: number, all: number) => void,
): Promise<Merged[]> {
  const lines = await commitPairs(git, merges)
  const batches = Array.from({ length: Math.ceil(lines.length / BATCH) }, (_, at) =>
    lines.slice(at * BATCH, (at + 1) * BATCH),
  )
  const results: Merged[][] = []
  let done = 0
  let next = 0
  const mergeBatches = async () => {
    while (next < batches.length) {
      const at = next++
      const merged = await mergeBatch(git, batches[at] as string[])
      results[at] = merged
      done += merged.length
      report(done, merges.length)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, mergeBatches))
  if (done !== merges.length)
    throw new Error(`git merge-tree returned ${done} of ${merges.length} merges; install git 2.39 or later`)
  return results.flat()
}

async function mergeBatch(git: Git, lines: readonly string[]): Promise<Merged[]> {
  const args = ['merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages']
  const merged: Merged[] = []
  // The fields of each merge: whether it is clean, its tree, the paths in conflict, and an empty field.
  let fields: string[] = []
  for await (const field of git.records(args, lines.join(''), '\0')) {
    if (field !== '' || fields.length < 2) fields.push(field)
    else {
      merged.push({ tree: wholeTree(fields[1] as string), conflicts: new Set(fields.slice(2)) })
      fields = []
    }
  }
  return merged
}

/** Creates two commits for each merge, whose parent has the tree of the base. Returns their ids as lines. */
async function commitPairs(git: Git, merges: readonly ThreeWay[]): Promise<string[]> {
  const marks = new Map<string, number>()
  const stream: string[] = []
  const markOf = (tree: Tree, parent: number | null): number => {
    const key = `${parent} ${tree}`
    const known = marks.get(key)
    if (known !== undefined) return known
    const mark = marks.size + 1
    marks.set(key, mark)
    const from = parent === null ? '' : `from :${parent}\n`
    stream.push(
      `reset refs/heads/replay\ncommit refs/heads/replay\nmark :${mark}\n`,
      `committer replay <replay@localhost> 1 +0000\ndata 0\n${from}deleteall\n${tree}\n`,
    )
    return mark
  }
  const pairs = merges.map(({ base, ours, theirs }) => {
    const parent = markOf(base, null)
    return [markOf(ours, parent), markOf(theirs, parent)] as const
  })
  const file = join(git.directory, 'replay-marks')
  await git.text(['fast-import', '--quiet', '--force', `--export-marks=${file}`], stream.join(''))
  const ids = new Map(
    (await readFile(file, 'utf8')).split('\n').map((line) => line.slice(1).split(' ') as [string, string]),
  )
  return pairs.map((commits) => `${commits.map((mark) => ids.get(String(mark))).join(' ')}\n`)
}
