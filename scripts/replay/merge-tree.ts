/**
 * Merges two pull requests with `git merge-tree`, without the changes of the base branch between their merge bases. A
 * plain merge of two heads also reports the conflicts that one of them has with the base branch.
 */
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Git } from './git.ts'

/** The ids of a head and its merge base. */
export interface Side {
  tree: string
  base: string
  base_tree: string
}

/** `moved` is rebased onto the base of `fixed`, and then merged with it. */
export interface SidePair {
  moved: Side
  fixed: Side
}

export interface SideMerge {
  /** Paths in which `moved` conflicts with that base. Whether they also conflict with `fixed` is unknown. */
  stale: Set<string>
  conflicts: Set<string>
}

/** The number of merges per process. Progress is reported after each process. */
const BATCH = 250

/** Returns one result for each pair of sides, in order. */
export async function mergeSides(
  git: Git,
  pairs: readonly SidePair[],
  report: (line: string) => void,
): Promise<SideMerge[]> {
  const moves = pairs.filter(isMove)
  const moved = new Map<string, Merged>()
  const trees = await mergeAll(
    git,
    distinct(moves, moveOf).map(({ moved: side, fixed }) => ({
      base: side.base,
      ours: fixed.base_tree,
      theirs: side.tree,
    })),
    (done) => report(`rebased ${done} heads`),
  )
  for (const [index, move] of distinct(moves, moveOf).entries())
    moved.set(moveOf(move), trees[index] as Merged)
  const merged = await mergeAll(
    git,
    pairs.map((pair) => ({
      base: pair.fixed.base,
      ours: moved.get(moveOf(pair))?.tree ?? pair.moved.tree,
      theirs: pair.fixed.tree,
    })),
    (done) => report(`merged ${done} of ${pairs.length} pairs`),
  )
  return pairs.map((pair, index) => ({
    stale: moved.get(moveOf(pair))?.conflicts ?? new Set(),
    conflicts: (merged[index] as Merged).conflicts,
  }))
}

function isMove({ moved, fixed }: SidePair): boolean {
  return moved.base !== fixed.base
}

function moveOf({ moved, fixed }: SidePair): string {
  return `${moved.tree} ${moved.base} ${fixed.base}`
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

export interface ThreeWay {
  /** A commit; the others are trees. */
  base: string
  ours: string
  theirs: string
}

export interface Merged {
  tree: string
  /** Paths. */
  conflicts: Set<string>
}

/** Three-way merges, in order. */
export async function mergeAll(
  git: Git,
  merges: readonly ThreeWay[],
  report: (done: number) => void = () => {},
): Promise<Merged[]> {
  const commit = await commitsOf(
    git,
    merges.flatMap(({ base, ours, theirs }) => [
      { tree: ours, parent: base },
      { tree: theirs, parent: base },
    ]),
  )
  const lines = merges.map(({ base, ours, theirs }) => `${commit(ours, base)} ${commit(theirs, base)}\n`)
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
      report(done)
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
      merged.push({ tree: fields[1] as string, conflicts: new Set(fields.slice(2)) })
      fields = []
    }
  }
  return merged
}

/** Creates commits with a tree and one parent, which is the merge base of two commits that share it. */
async function commitsOf(git: Git, wanted: readonly { tree: string; parent: string }[]) {
  const marks = new Map<string, number>()
  const stream: string[] = []
  for (const { tree, parent } of wanted) {
    const key = `${tree} ${parent}`
    if (marks.has(key)) continue
    marks.set(key, marks.size + 1)
    const header = `commit refs/heads/replay\nmark :${marks.size}\ncommitter replay <replay@localhost> 1 +0000\ndata 0\n`
    stream.push(`${header}from ${parent}\nM 040000 ${tree} ""\n\n`)
  }
  const file = join(git.directory, 'replay-marks')
  await git.text(['fast-import', '--quiet', '--force', `--export-marks=${file}`], stream.join(''))
  const ids = new Map(
    (await readFile(file, 'utf8')).split('\n').map((line) => line.slice(1).split(' ') as [string, string]),
  )
  return (tree: string, parent: string) => ids.get(String(marks.get(`${tree} ${parent}`))) as string
}
